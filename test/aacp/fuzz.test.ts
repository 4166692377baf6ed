/**
 * Structure-aware mutations of valid evidence: never a success, never an exception, always exactly one outcome. The base
 * presentation is one change away from success, so that nothing else refuses it first.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  errorOf,
  type JsonObject,
  memoryReplayStore,
  OUTCOMES,
  signEvidence,
  signEvidenceCose,
  staticKeys,
  type Verification,
  verifyEvidence,
} from "../../orchestrator/aacp/index.ts"
import { canonicalText } from "../../orchestrator/aacp/json.ts"
import { json } from "./arbitraries.ts"
import { evidenceOf, key, makeKey, policy, sign, signRaw, validInput } from "./support.ts"

const RUNS = Number(process.env.AFG_FUZZ_RUNS ?? 300)
const other = makeKey("cs-other", "ES256", { iss: "https://other.example" })
const twin = makeKey("cs-1", "ES256", { iss: "https://other.example" })
const keys = staticKeys({ keys: [key.jwk, other.jwk, twin.jwk] })
const HEADER = { alg: "ES256", kid: "cs-1" }
const good = evidenceOf()
const jws = await sign()
const cose = await signEvidenceCose(good, key.signer)

const judge = async (evidence: string | Uint8Array, changes = {}): Promise<Verification> => {
  const result = await verifyEvidence(await validInput({ keys, replay: memoryReplayStore(), ...changes, evidence }))
  assert.ok(OUTCOMES.includes(result.outcome))
  assert.equal(result.error, errorOf(result.outcome))
  return result
}

const neverAccepted = async (evidence: string | Uint8Array, changes = {}): Promise<void> => {
  assert.notEqual(
    (await judge(evidence, changes)).outcome,
    "success",
    typeof evidence === "string" ? evidence : Buffer.from(evidence).toString("hex"),
  )
}

/** Members whose every change must be refused: the others (extensions, confirmed-at within its life, a higher loa) may change. */
const BOUND = ["v", "request-id", "action-digest", "challenge", "decision", "audience", "subject", "rendering-digest"] as const

const anyText = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.base64String())

describe("the base", () => {
  it("is a success, as JWS and as COSE", async () => {
    assert.equal((await judge(jws)).outcome, "success")
    assert.equal((await judge(cose)).outcome, "success")
  })
})

describe("the envelope", () => {
  it("any one character changed, removed or inserted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(jws.length - 1),
        fc.constantFrom("change", "remove", "insert", "double"),
        fc.constantFrom(..."Aa0-_=.+/ \u0000é"),
        async (place, how, letter) => {
          const rest = jws.slice(place + 1)
          const middle = { change: letter, remove: "", insert: `${letter}${jws[place]}`, double: `${jws[place]}${jws[place]}` }[how]
          const bent = jws.slice(0, place) + middle + rest
          if (bent !== jws) await neverAccepted(bent)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it("any octet of a COSE message changed, or the message cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(cose.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (place, bits, cut) => {
        const bent = cut ? cose.slice(0, place) : Uint8Array.from(cose, (octet, index) => (index === place ? octet ^ bits : octet))
        await neverAccepted(bent)
      }),
      { numRuns: RUNS },
    )
  })

  it("parts of two messages put together", async () => {
    const denied = await sign({ decision: "denied" })
    const foreign = await signEvidence(good, other.signer)
    const parts = [jws, denied, foreign].map((message) => message.split("."))
    await fc.assert(
      fc.asyncProperty(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)), async ([head, body, tail]) => {
        const bent = [parts[head]?.[0], parts[body]?.[1], parts[tail]?.[2]].join(".")
        if (bent !== jws) await neverAccepted(bent)
      }),
      { numRuns: 60 },
    )
  })

  it("random text and random bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, fc.uint8Array({ maxLength: 300 })), async (noise) => neverAccepted(noise)),
      { numRuns: RUNS },
    )
  })

  it("any header under the right key", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, fc.dictionary(fc.constantFrom("alg", "kid", "crit", "b64", "jwk", "typ"), json)), async (header) => {
        const { alg, kid } = (header ?? {}) as JsonObject
        if (alg !== "ES256" || kid !== "cs-1") await neverAccepted(await signRaw(header, canonicalText(good)))
      }),
      { numRuns: RUNS },
    )
  })
})

describe("the payload, signed by the right key", () => {
  it("any bound member given another value", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...BOUND), fc.oneof(json, anyText, fc.constantFrom("", "denied", 1, 2)), async (name, value) => {
        if (canonicalText(value) === canonicalText(good[name as "v"])) return
        await neverAccepted(await signRaw(HEADER, canonicalText({ ...good, [name]: value })))
      }),
      { numRuns: RUNS },
    )
  })

  it("any member left out", async () => {
    for (const name of Object.keys(good)) {
      const { [name]: _gone, ...rest } = { ...good } as Record<string, unknown>
      await neverAccepted(await signRaw(HEADER, canonicalText(rest)))
    }
  })

  it("any two members' values exchanged", async () => {
    const names = Object.keys(good)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.constantFrom(...names), async (a, b) => {
        if (a === b) return
        const values = { ...good } as unknown as Record<string, unknown>
        await neverAccepted(await signRaw(HEADER, canonicalText({ ...values, [a]: values[b], [b]: values[a] })))
      }),
      { numRuns: 100 },
    )
  })

  it("another spelling of the same JSON", async () => {
    const text = canonicalText(good)
    const spellings = [
      ` ${text}`,
      `${text}\n`,
      text.replace(":", ": "),
      JSON.stringify(good, null, 2),
      text.replace("passkey", "p\\u0061sskey"),
      text.replace('"loa":4', '"loa":4.0'),
      `\ufeff${text}`,
      text.replace('"loa":4', '"loa":4,"loa":4'),
    ]
    for (const spelling of spellings) assert.equal((await judge(await signRaw(HEADER, spelling))).outcome, "invalid")
  })

  it("any JSON in its place", async () => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => neverAccepted(await signRaw(HEADER, canonicalText(value)))),
      { numRuns: RUNS },
    )
  })

  it("members nobody knows change nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), json, async (name, value) => {
        if (name in good || ["handoff", "dialog_turn", "__proto__"].includes(name)) return
        assert.equal((await judge(await signRaw(HEADER, canonicalText({ ...good, [name]: value })))).outcome, "success")
      }),
      { numRuns: 100 },
    )
  })
})

describe("valid evidence signed again", () => {
  it("by another service's valid key, under its own id or under ours", async () => {
    const trusted = { policy: { ...policy, services: ["https://cs.example.com"] } }
    for (const signer of [other.signer, twin.signer, { ...other.signer, kid: "cs-1" }, { ...key.signer, kid: "cs-other" }]) {
      await neverAccepted(await signEvidence(good, signer), trusted)
      await neverAccepted(await signEvidenceCose(good, signer), trusted)
    }
  })

  it("by a key nobody registered", async () => {
    for (const alg of ["ES256", "EdDSA"] as const) await neverAccepted(await signEvidence(good, makeKey("cs-1", alg).signer))
  })
})
