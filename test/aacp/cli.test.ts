/** `afg aacp` and `afg cose` as a user runs them: outputs, exit codes, and what is said when a step's input is missing. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { Command, CommanderError } from "commander"
import { detachJws, type Verification } from "../../orchestrator/aacp/index.ts"
import * as aacp from "../../orchestrator/cli/commands/aacp.ts"
import * as cose from "../../orchestrator/cli/commands/cose.ts"
import { type CliIo, type CommandResult, errorDocument } from "../../orchestrator/cli/io.ts"
import { AUDIENCE, request, SERVICE, vector, vectorFile, vectorJson } from "./support.ts"

type Result = { exit: number | null; stdout: Buffer; json: unknown }

/** The command as its own process. */
const afgProcess = (args: string[], input?: string): Promise<Result> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../../orchestrator/cli/afg.ts"), ...args])
    const chunks: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("error", reject)
    child.on("close", (exit) => {
      const stdout = Buffer.concat(chunks)
      resolve({ exit, stdout, json: args.includes("--json") ? JSON.parse(stdout.toString()) : undefined })
    })
    child.stdin.end(input)
  })

const MODULES = { aacp, cose }
const io: CliIo = { stdout: () => undefined, stderr: () => undefined, env: {}, cwd: process.cwd() }

/** The same command in this process: parsing, action and result, without a new Node for every case. */
const afg = async ([name, ...args]: string[]): Promise<Result> => {
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => undefined })
  let result: CommandResult | undefined
  MODULES[name as keyof typeof MODULES].build(command, io, async (action) => {
    result = await action()
  })
  for (const leaf of command.commands.flatMap((child) => [child, ...child.commands])) leaf.exitOverride()
  try {
    await command.parseAsync(args, { from: "user" })
  } catch (error) {
    return { exit: 2, stdout: Buffer.alloc(0), json: error instanceof CommanderError ? { error: { code: "usage" } } : errorDocument(error) }
  }
  assert.ok(result)
  return { exit: result.exit, stdout: Buffer.from(result.bytes ?? result.text ?? ""), json: result.json }
}

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "aacp-cli-"))
})
after(() => rm(folder, { recursive: true }))

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const BASE = {
  "--evidence": vectorFile("evidence.es256.jws"),
  "--jwks": vectorFile("jwks.json"),
  "--descriptor": vectorFile("descriptor.json"),
  "--request": vectorFile("request.json"),
  "--audience": AUDIENCE,
  "--policy": vectorFile("policy.json"),
  "--now": "2026-10-31T11:05:00Z",
}

const verifyArgs = (changes: Record<string, string | undefined> = {}): string[] => {
  const options = Object.entries({ ...BASE, ...changes }).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  return ["aacp", "verify", "--json", ...options]
}
const verify = (changes: Record<string, string | undefined> = {}): Promise<Result> => afg(verifyArgs(changes))

const expect = async (changes: Record<string, string | undefined>, exit: number, outcome: string, error: string | null, detail: string) => {
  const result = await verify(changes)
  const { evidence: _signed, ...json } = result.json as Verification
  assert.deepEqual([result.exit, json.outcome, json.error, json.detail], [exit, outcome, error, detail])
}

describe("afg aacp digest", () => {
  it("prints the digests and the rendering set", async () => {
    const { exit, json } = await afg(["aacp", "digest", vectorFile("descriptor.json"), "--json"])
    const { action_digest, rendering_digest } = vectorJson("digests.json")
    assert.deepEqual([exit, json], [0, { action_digest, rendering_digest, rendering: JSON.parse(vector("rendering.json")) }])
  })

  it("with an annotation, in its order", async () => {
    const { json } = await afg(["aacp", "digest", vectorFile("mapped-descriptor.json"), "--x-aacp", vectorFile("x-aacp.json"), "--json"])
    assert.equal((json as { rendering_digest: string }).rendering_digest, vectorJson("digests.json").mapped_rendering_digest)
  })

  it("reads standard input; refuses what is no descriptor with 2 and a path", async () => {
    const { exit, json } = await afgProcess(["aacp", "digest", "-", "--json"], '{"type":"a","actions":[]}')
    const { error } = json as { error: { code: string; path: string } }
    assert.deepEqual([exit, error.code, error.path], [2, "aacp-descriptor-malformed", "/actions"])
    assert.equal((await afg(["aacp", "digest", "/nowhere", "--json"])).exit, 2)
  })
})

describe("afg aacp verify", () => {
  it("accepts the flight example, shows the evidence, and writes down its id once", async () => {
    const seen = join(folder, "seen.json")
    const result = await verify({ "--seen": seen })
    assert.deepEqual([result.exit, (result.json as Verification).evidence], [0, JSON.parse(vector("evidence.json"))])
    assert.deepEqual(JSON.parse(await readFile(seen, "utf8")), [[SERVICE, request["request-id"]]])
    await expect({ "--seen": seen }, 1, "replay", "confirmation_replay", "request_id_used")
  })

  it("takes Unix seconds, COSE as hex, and a detached payload", async () => {
    await expect({ "--now": "1793444700" }, 0, "success", null, "accepted")
    await expect({ "--evidence": vectorFile("evidence.es256.cose.hex") }, 0, "success", null, "accepted")
    const detached = await file("detached.jws", detachJws(vector("evidence.es256.jws")))
    await expect({ "--evidence": detached, "--payload": vectorFile("evidence.json") }, 0, "success", null, "accepted")
    await expect(
      { "--evidence": detached, "--payload": vectorFile("denied.json") },
      1,
      "invalid",
      "confirmation_invalid",
      "signature_wrong",
    )
    await expect({ "--evidence": detached }, 3, "unverifiable", "confirmation_unavailable", "not_checked:signature")
  })

  for (const [option, step] of [
    ["--descriptor", "action_digest"],
    ["--audience", "audience"],
    ["--policy", "policy"],
  ] as const) {
    it(`without ${option} that step is not checked`, () =>
      expect({ [option]: undefined }, 3, "unverifiable", "confirmation_unavailable", `not_checked:${step}`))
  }

  it("an annotation gives the order that was shown", async () => {
    await expect({ "--x-aacp": vectorFile("x-aacp.json") }, 1, "unexercised", "confirmation_unexercised", "rendering_mismatch")
  })

  it("without a request, the policy's cap is the lifetime", async () => {
    await expect({ "--request": undefined }, 0, "success", null, "accepted")
    await expect({ "--request": undefined, "--now": "2026-10-31T11:08:18Z" }, 1, "stale", "confirmation_stale", "lifetime_passed")
  })

  it("tells the outcomes apart", async () => {
    await expect({ "--evidence": undefined }, 1, "absent", "confirmation_required", "no_evidence")
    await expect({ "--evidence": await file("x", "yes, approved") }, 1, "invalid", "confirmation_invalid", "aacp-jws-malformed")
    await expect(
      { "--evidence": await file("y", new Uint8Array([0xff, 0x00])) },
      1,
      "invalid",
      "confirmation_invalid",
      "aacp-cbor-malformed",
    )
    await expect({ "--evidence": vectorFile("denied.es256.jws") }, 1, "denied", "confirmation_denied", "denied_by_user")
    await expect({ "--audience": "agent:other" }, 1, "diverted", "confirmation_diverted", "audience_differs")
    await expect(
      { "--descriptor": vectorFile("mapped-descriptor.json") },
      1,
      "mismatched",
      "confirmation_mismatch",
      "action_digest_differs",
    )
    await expect({ "--now": "2026-10-31T11:08:18Z" }, 1, "stale", "confirmation_stale", "lifetime_passed")
    await expect({ "--now": "2026-10-31T11:08:10Z", "--margin": "10" }, 1, "stale", "confirmation_stale", "lifetime_passed")
    await expect(
      { "--policy": await file("p1", '{"rules":[{"min_loa":5}]}') },
      1,
      "insufficient-assurance",
      "confirmation_low_assurance",
      "loa_below_policy",
    )
    await expect({ "--jwks": await file("k", '{"keys":[]}') }, 3, "unverifiable", "confirmation_unavailable", "key_unknown")
  })

  it("a status object is unobtainable, with its reason; a malformed one invalid", async () => {
    const status = { "--evidence": undefined, "--status": vectorFile("status.json") }
    await expect(status, 3, "unobtainable", "confirmation_unavailable", "dialog-expired")
    await expect({ ...status, "--status": await file("s", "{}") }, 1, "invalid", "confirmation_invalid", "aacp-status-malformed")
  })

  it("mistakes of the call are 2, and change nothing", async () => {
    const damaged = await file("damaged.json", "{}")
    const mistakes = [
      { "--jwks": undefined },
      { "--jwks": "/nowhere" },
      { "--policy": await file("p2", '{"rule":[]}') },
      { "--descriptor": damaged },
      { "--request": damaged },
      { "--seen": damaged },
      { "--now": "soon" },
      { "--margin": "-1" },
      { "--status": damaged },
    ]
    for (const mistake of mistakes) {
      const result = await verify(mistake)
      assert.equal(result.exit, 2, JSON.stringify(mistake))
      assert.ok((result.json as { error: { code: string } }).error.code)
    }
    assert.equal(await readFile(damaged, "utf8"), "{}")
  })
})

describe("as processes", () => {
  it("exit with the outcome, and print one JSON document or the exact bytes", async () => {
    const accepted = await afgProcess(verifyArgs())
    assert.deepEqual([accepted.exit, (accepted.json as Verification).outcome], [0, "success"])
    assert.equal((await afgProcess(verifyArgs({ "--evidence": vectorFile("denied.es256.jws") }))).exit, 1)
    assert.equal((await afgProcess(verifyArgs({ "--policy": undefined }))).exit, 3)
    const mistake = await afgProcess(verifyArgs({ "--jwks": undefined }))
    assert.deepEqual([mistake.exit, (mistake.json as { error: { code: string } }).error.code], [2, "usage"])
    const raw = await afgProcess(["aacp", "cbor", "encode", "--type", "status", vectorFile("status.json")])
    assert.deepEqual([raw.exit, raw.stdout.toString("hex")], [0, vector("status.cbor.hex")])
  })
})

describe("afg aacp cbor", () => {
  for (const type of ["descriptor", "request", "evidence", "status"]) {
    it(`${type}: to bytes, to hex, and back`, async () => {
      const hex = vector(`${type}.cbor.hex`)
      const raw = await afg(["aacp", "cbor", "encode", "--type", type, vectorFile(`${type}.json`)])
      assert.deepEqual([raw.exit, raw.stdout.toString("hex")], [0, hex])
      assert.equal(
        (await afg(["aacp", "cbor", "encode", "--type", type, "--hex", vectorFile(`${type}.json`)])).stdout.toString().trim(),
        hex,
      )
      assert.deepEqual((await afg(["aacp", "cbor", "encode", "--type", type, "--json", vectorFile(`${type}.json`)])).json, { cbor: hex })
      const bytes = await file(`${type}.cbor`, Buffer.from(hex, "hex"))
      for (const from of [bytes, vectorFile(`${type}.cbor.hex`)]) {
        assert.deepEqual((await afg(["aacp", "cbor", "decode", "--type", type, from, "--json"])).json, vectorJson(`${type}.json`))
      }
    })
  }

  it("refuses with 2", async () => {
    assert.equal((await afg(["aacp", "cbor", "decode", "--type", "evidence", vectorFile("descriptor.cbor.hex")])).exit, 2)
    assert.equal((await afg(["aacp", "cbor", "encode", "--type", "ticket", vectorFile("descriptor.json")])).exit, 2)
  })
})

describe("afg cose verify", () => {
  const message = vectorFile("evidence.es256.cose.hex")
  it("judges under the right key and under a wrong one", async () => {
    const keys = vectorJson("jwks.json").keys as unknown as object[]
    const [es256, eddsa] = [await file("es.json", JSON.stringify(keys[0])), await file("ed.json", JSON.stringify(keys[1]))]
    for (const right of [es256, vectorFile("jwks.json")]) {
      const { exit, json } = await afg(["cose", "verify", message, "--key", right, "--json"])
      assert.deepEqual([exit, json], [0, { valid: true }])
    }
    const wrong = await afg(["cose", "verify", message, "--key", eddsa, "--json"])
    assert.deepEqual([wrong.exit, (wrong.json as { valid: boolean }).valid], [1, false])
    const external = await afg(["cose", "verify", message, "--key", es256, "--external", "00", "--json"])
    assert.equal(external.exit, 1)
  })

  it("what is no COSE is not valid; a key that is none is a mistake of the call", async () => {
    const noise = await file("noise", "hello")
    assert.equal((await afg(["cose", "verify", noise, "--key", vectorFile("jwks.json"), "--json"])).exit, 1)
    assert.equal((await afg(["cose", "verify", message, "--key", noise, "--json"])).exit, 2)
  })
})
