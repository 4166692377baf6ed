/**
 * Verifications per second, all eight steps with the replay store in memory, against `node:crypto` alone over the same bytes
 * and key. `node scripts/bench/aacp.ts`; chunks of both alternate, so that a busy machine slows both.
 */
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import {
  createEvidence,
  createRequest,
  keySigner,
  memoryReplayStore,
  readDescriptor,
  readPolicy,
  renderingDigest,
  type SigningAlgorithm,
  signEvidence,
  staticKeys,
  systemEntropy,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"

export type BenchRow = { what: string; ours: number; baseline: number; ratio: number; goal: number; ok: boolean }

const GOAL = 0.8
const NOW = 1_793_444_600

const descriptor = readDescriptor({
  type: "https://api.airlines.example.com/actions/flight_booking",
  actions: ["book"],
  locations: ["https://api.airlines.example.com/bookings"],
  parameters: {
    flight_number: { value: "UA123", confirm: true, render: { label: "Flight" } },
    departure_date: { value: "2026-11-20", confirm: true, render: { label: "Departure" } },
    passenger_name: { value: "A. Example", confirm: true, render: { label: "Passenger" } },
    fare_class: { value: "economy", confirm: true, render: { label: "Cabin", "value-label": "Economy" } },
    total_price: { value: { currency: "USD", amount: "412.00" }, confirm: true, render: { label: "Total price", format: "currency" } },
    seat_preference: { value: "window" },
  },
  effect: "create",
  reversible: false,
})
const policy = readPolicy({
  services: ["https://cs.example.com"],
  known_methods: ["passkey"],
  rules: [{ reversible: false, min_loa: 3, methods: ["passkey"], require_rendering: true }],
  max_lifetime: 300,
})

/** `count` different pieces of evidence: each can be accepted once. */
const prepare = async (alg: SigningAlgorithm, count: number) => {
  const pair = alg === "ES256" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")
  const signer = keySigner("k", alg, pair.privateKey)
  const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "k", alg, iss: "https://cs.example.com" }
  const shown = renderingDigest(descriptor)
  const cases = []
  for (let index = 0; index < count; index++) {
    const request = createRequest({ descriptor, audience: "agent:me", subject: "user:a" }, systemEntropy)
    const authContext = { method: "passkey", loa: 4 }
    const evidence = createEvidence({ request, decision: "confirmed", confirmedAt: NOW, authContext, renderingDigest: shown })
    const jws = await signEvidence(evidence, signer)
    const end = jws.lastIndexOf(".")
    cases.push({ request, jws, signed: Buffer.from(jws.slice(0, end)), signature: Buffer.from(jws.slice(end + 1), "base64url") })
  }
  return { cases, keys: staticKeys({ keys: [jwk] }), publicKey: createPublicKey(pair.publicKey.export({ format: "pem", type: "spki" })) }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** `fresh`: the descriptor is new each time, as at a gateway; else it is the one that the agent asked about. */
const measure = async (alg: SigningAlgorithm, fresh: boolean, rounds: number, chunk: number): Promise<BenchRow> => {
  const { cases, keys, publicKey } = await prepare(alg, chunk)
  const key = alg === "ES256" ? ({ key: publicKey, dsaEncoding: "ieee-p1363" } as const) : publicKey
  const hash = alg === "ES256" ? "sha256" : null
  const times: { ours: number; raw: number }[] = []
  for (let round = 0; round < rounds + 2; round++) {
    const replay = memoryReplayStore()
    const descriptors = cases.map(() => (fresh ? readDescriptor(structuredClone(descriptor)) : descriptor))
    const began = process.hrtime.bigint()
    for (const [index, { request, jws }] of cases.entries()) {
      const input = { evidence: jws, keys, descriptor: descriptors[index], request, audience: "agent:me", policy, replay, now: NOW + 1 }
      const { outcome } = await verifyEvidence(input)
      if (outcome !== "success") throw new Error(`${outcome} where success was due`)
    }
    const between = process.hrtime.bigint()
    for (const { signed, signature } of cases) if (!verify(hash, signed, key, signature)) throw new Error("a good signature was refused")
    const ended = process.hrtime.bigint()
    // The first rounds warm both up.
    if (round >= 2) times.push({ ours: Number(between - began) / 1e9, raw: Number(ended - between) / 1e9 })
  }
  const ratio = median(times.map(({ ours, raw }) => raw / ours))
  const perSecond = (pick: (time: { ours: number; raw: number }) => number) => Math.round(chunk / median(times.map(pick)))
  const what = `${alg} verifications/s${fresh ? ", a new descriptor each" : ""}`
  return { what, ours: perSecond((time) => time.ours), baseline: perSecond((time) => time.raw), ratio, goal: GOAL, ok: ratio >= GOAL }
}

/** One row per algorithm and kind of caller. Ratios are medians over the rounds. */
export const benchAacp = async (rounds = 40, chunk = 250): Promise<BenchRow[]> => {
  const rows: BenchRow[] = []
  for (const alg of ["ES256", "EdDSA"] as const) {
    for (const fresh of [false, true]) rows.push(await measure(alg, fresh, rounds, chunk))
  }
  return rows
}

if (import.meta.main) {
  const rows = await benchAacp()
  process.stdout.write(`${JSON.stringify({ name: "aacp", rows }, null, 2)}\n`)
  process.exitCode = rows.every((row) => row.ok) ? 0 : 1
}
