/** `afg check`, `afg evidence`, `afg artifact`: names, members and exit codes. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { canonicalBytes, type JsonValue } from "../../../orchestrator/json/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"
import { projectRoot } from "../../../orchestrator/setup-record.ts"
import { hashFiles, sha256Of, withPrefix } from "../../../orchestrator/verifier-runner/index.ts"
import { containers } from "../support/engine.ts"
import { DELIVERABLE, plainContract } from "../support/plain.ts"
import { calc, FAULTY, FIXED, file, tiny } from "../support/tiny.ts"

const directory = await mkdtemp(join(tmpdir(), "afg-cli-"))
after(() => rm(directory, { recursive: true }))
const at = (name: string): string => join(directory, name)
const found = await containers()

type Answer = { exit: number; stdout: string; json: Record<string, unknown> }

/** An empty home is a checkout that was never set up: what is judged without a container must not need one. */
const BARE = { ...process.env, AFG_HOME: at("home") }

const run = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    const cli = join(projectRoot, "orchestrator/cli/afg.ts")
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", cli, ...args],
      { encoding: "utf8", maxBuffer: 1 << 26, env },
      (error, stdout) => {
        let json: Record<string, unknown> = {}
        try {
          json = JSON.parse(stdout) as Record<string, unknown>
        } catch {
          // Not every answer is JSON.
        }
        resolve({ exit: error === null ? 0 : Number(error.code), stdout, json })
      },
    )
  })

const afg = (...args: string[]): Promise<Answer> => run(BARE, ...args)

const json = (value: unknown): Uint8Array => canonicalBytes(JSON.parse(JSON.stringify(value)) as JsonValue)
const save = async (name: string, bytes: Uint8Array | string): Promise<string> => {
  await mkdir(join(at(name), ".."), { recursive: true })
  await writeFile(at(name), bytes)
  return at(name)
}

const key = await save("verifier.key", localAccount("verifier").privateKey)
const plain = await save("plain.json", json(plainContract()))
const delivered = await save("delivered.txt", DELIVERABLE)
const empty = at("empty")
await mkdir(empty)

describe("afg check run and afg evidence", () => {
  it("judge, write a bundle, verify it, prove from it", async () => {
    const out = at("out")
    const ran = await afg(
      "check",
      "run",
      "--contract",
      plain,
      "--inputs",
      empty,
      "--deliverable",
      delivered,
      "--key-file",
      key,
      "--out",
      out,
      "--json",
    )
    assert.deepEqual([ran.exit, ran.json.verdict, Object.keys(ran.json).sort()], [0, "PASS", ["bundle", "check_results", "verdict"]])
    const whole = await afg("evidence", "verify", out, "--json")
    assert.equal(whole.exit, 0, whole.stdout)
    assert.deepEqual(Object.keys(whole.json).sort(), ["anchored", "merkle_root", "problems", "valid", "verifier"])
    assert.deepEqual([whole.json.valid, whole.json.anchored, whole.json.problems], [true, null, []])

    const alone = join(out, "bundle.json")
    const open = await afg("evidence", "verify", alone, "--json")
    assert.deepEqual([open.exit, open.json.valid], [3, null])
    assert.equal((await afg("evidence", "verify", alone, "--contract", plain, "--json")).exit, 0)

    const altered = JSON.parse(await readFile(alone, "utf8")) as Record<string, unknown>
    const forged = await save("forged.json", json({ ...altered, verdict: "FAIL" }))
    const refused = await afg("evidence", "verify", forged, "--contract", plain, "--json")
    assert.deepEqual([refused.exit, refused.json.valid], [1, false])
    assert.equal((await afg("evidence", "verify", await save("noise.json", "{"), "--contract", plain, "--json")).exit, 1)
    assert.equal((await afg("evidence", "verify", at("nothing"), "--json")).exit, 2)
    assert.equal((await afg("evidence", "verify", out, "--rpc", "http://127.0.0.1:1", "--json")).exit, 3)

    const { labels } = (await afg("evidence", "prove", out, "--json")).json as { labels: string[] }
    assert.ok(labels.includes("/manifest"))
    const proof = await afg("evidence", "prove", out, "/manifest", "--json")
    assert.deepEqual([proof.exit, Object.keys(proof.json).sort()], [0, ["label", "leaf", "proof", "root", "sha256"]])
    assert.equal(proof.json.root, `0x${whole.json.merkle_root}`)
    assert.equal((await afg("evidence", "prove", out, "/nothing", "--json")).exit, 1)
    assert.equal((await afg("evidence", "prove", forged, "/manifest", "--json")).exit, 1)
  })

  it("end with 1 for FAIL, 3 for INCONCLUSIVE, 2 for what cannot be judged", async () => {
    const other = await save("other.txt", "something else")
    assert.equal((await afg("check", "run", "--contract", plain, "--inputs", empty, "--deliverable", other, "--json")).exit, 1)
    const rubric = plainContract([
      { check_id: "r", type: "llm_rubric", class: "judgment", rubric: "r", model: "m", votes: 1, pass_threshold: 1, temperature: 0 },
    ])
    const unknown = await afg(
      "check",
      "run",
      "--contract",
      await save("rubric.json", json(rubric)),
      "--inputs",
      empty,
      "--deliverable",
      delivered,
      "--json",
    )
    assert.deepEqual([unknown.exit, unknown.json.verdict], [3, "INCONCLUSIVE"])
    for (const [contract, inputs, deliverable, keyFile] of [
      [at("nothing"), empty, delivered, key],
      [delivered, empty, delivered, key],
      [plain, at("nothing"), delivered, key],
      [plain, empty, at("nothing"), key],
      [plain, empty, delivered, at("nothing")],
      [plain, empty, delivered, await save("buyer.key", localAccount("buyer").privateKey)],
    ] as const) {
      const answer = await afg(
        "check",
        "run",
        "--contract",
        contract,
        "--inputs",
        inputs,
        "--deliverable",
        deliverable,
        "--key-file",
        keyFile,
        "--json",
      )
      assert.equal(answer.exit, 2, answer.stdout)
      assert.ok((answer.json.error as { code?: string }).code)
    }
    assert.equal((await afg("check", "run", "--json")).exit, 2)
  })

  it("take inputs by name or hash, from folders and revealed ones", {
    skip: found === null && "there is no container engine",
  }, async () => {
    if (found === null) return
    const world = await tiny({ image: found.image.runner_image })
    const contract = await save("suite.json", json(world.contract))
    await save(`inputs/${sha256Of(world.bundle)}`, world.bundle)
    for (const { path, bytes } of withPrefix(world.hidden, "reveal/hidden_tests/")) await save(path, bytes)
    const check = async (patch: string, ...more: string[]) =>
      run(
        process.env,
        "check",
        "run",
        "--contract",
        contract,
        "--inputs",
        at("inputs"),
        "--deliverable",
        await save("patch.diff", patch),
        ...more,
        "--json",
      )
    assert.equal((await check(calc(FIXED), "--reveal", at("reveal"))).json.verdict, "PASS")
    const cheat = await check(calc(`import os\nos._exit(0)\n${FAULTY}`), "--reveal", at("reveal"))
    assert.deepEqual([cheat.exit, cheat.json.verdict], [1, "FAIL"])
    assert.equal((await check(calc(FIXED))).exit, 3)
    const bare = await afg(
      "check",
      "run",
      "--contract",
      contract,
      "--inputs",
      at("inputs"),
      "--reveal",
      at("reveal"),
      "--deliverable",
      at("patch.diff"),
      "--json",
    )
    assert.deepEqual([bare.exit, bare.json.verdict], [3, "INCONCLUSIVE"])
  })
})

describe("afg artifact", () => {
  it("puts and gets bytes by their hash", async () => {
    const put = await afg("artifact", "put", delivered, "--json")
    assert.deepEqual([put.exit, put.json.sha256, put.json.size], [0, sha256Of(DELIVERABLE), DELIVERABLE.length])
    assert.equal((await afg("artifact", "get", String(put.json.uri))).stdout, DELIVERABLE.toString())
    const got = await afg("artifact", "get", String(put.json.sha256), "--out", at("copy"), "--json")
    assert.deepEqual(got.json, put.json)
    assert.deepEqual(await readFile(at("copy")), DELIVERABLE)
  })

  it("puts a folder under its tree hash", async () => {
    await save("folder/a.txt", "a")
    const put = await afg("artifact", "put", at("folder"), "--json")
    assert.equal(put.json.sha256, hashFiles([file("folder/a.txt", "a")]))
  })

  it("refuses what is not there", async () => {
    assert.equal((await afg("artifact", "get", "0".repeat(64), "--json")).exit, 2)
    assert.equal((await afg("artifact", "get", "nonsense", "--json")).exit, 2)
    assert.equal((await afg("artifact", "put", at("nothing"), "--json")).exit, 2)
  })
})
