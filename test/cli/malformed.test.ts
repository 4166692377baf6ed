/** Bad input at the command line's door: the promised exit code and, with `--json`, exactly one error document on standard output. */
import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { afg } from "./support.ts"

type Case = { args: string; exit: 1 | 2 | 3; code: string; input?: string | Uint8Array }

/** Nothing listens on port 1. */
const NOBODY = "http://127.0.0.1:1"
const ABSENT = "0".repeat(64)

const CASES: readonly Case[] = [
  { args: "", exit: 2, code: "usage" },
  { args: "nonsense", exit: 2, code: "usage" },
  { args: "contract", exit: 2, code: "usage" },
  { args: "contract nonsense", exit: 2, code: "usage" },
  { args: "jcs", exit: 2, code: "usage" },
  { args: "jcs good.json another.json", exit: 2, code: "usage" },
  { args: "jcs good.json --unknown", exit: 2, code: "usage" },
  { args: "jcs missing.json", exit: 2, code: "file-unreadable" },
  { args: "jcs folder", exit: 2, code: "file-unreadable" },
  { args: "jcs -", exit: 2, code: "json-syntax" },
  { args: "jcs -", exit: 2, code: "json-duplicate-key", input: '{"a":1,"a":2}' },
  { args: "jcs -", exit: 2, code: "json-utf8", input: Uint8Array.of(0xff, 0xfe) },
  { args: "contract template nonsense", exit: 2, code: "template-unknown" },
  { args: "contract hash bad.json", exit: 2, code: "json-syntax" },
  { args: "contract hash missing.json", exit: 2, code: "file-unreadable" },
  { args: "contract lint missing.json", exit: 2, code: "file-unreadable" },
  { args: "contract lint good.json --now yesterday", exit: 2, code: "time-malformed" },
  { args: "contract lint good.json --rubric-cap much", exit: 2, code: "amount-format" },
  { args: "contract lint good.json --inputs missing", exit: 2, code: "inputs-unreadable" },
  { args: "contract lint good.json --validators good.json", exit: 2, code: "validators-malformed" },
  { args: "contract lint good.json --rpc nowhere", exit: 2, code: "usage" },
  { args: "contract terms good.json", exit: 2, code: "schema" },
  { args: "contract sign good.json --role buyer", exit: 2, code: "usage" },
  { args: "contract sign good.json --role king --key-file good.json", exit: 2, code: "usage" },
  { args: "contract sign good.json --role buyer --key-file good.json", exit: 2, code: "key-malformed" },
  { args: "check run", exit: 2, code: "usage" },
  { args: "check run --contract bad.json --inputs folder --deliverable good.json", exit: 2, code: "json-syntax" },
  { args: "check run --contract good.json --inputs folder --deliverable missing", exit: 2, code: "schema" },
  { args: "evidence verify missing", exit: 2, code: "bundle-unreadable" },
  { args: "evidence verify folder", exit: 2, code: "bundle-unreadable" },
  { args: "evidence prove bad.json", exit: 2, code: "bundle-unreadable" },
  { args: "artifact put missing", exit: 2, code: "file-unreadable" },
  { args: "artifact get nonsense", exit: 2, code: "blob-reference-malformed" },
  { args: `artifact get ${ABSENT}`, exit: 2, code: "blob-missing" },
  { args: "job get ID", exit: 2, code: "usage" },
  { args: `job get ID --api ${NOBODY} --key-file missing`, exit: 2, code: "file-unreadable" },
  { args: "demo --path sideways", exit: 2, code: "usage" },
  { args: "dev --port high", exit: 2, code: "usage" },
  { args: "doctor --unknown", exit: 2, code: "usage" },
]

let cwd = ""

before(() => {
  cwd = mkdtempSync(join(tmpdir(), "afg-cli-"))
  mkdirSync(join(cwd, "folder"))
  writeFileSync(join(cwd, "good.json"), '{"a":1}')
  writeFileSync(join(cwd, "bad.json"), "{bad")
})
after(() => rmSync(cwd, { recursive: true, force: true }))

describe("afg with --json, called wrongly", { concurrency: 2 }, () => {
  for (const { args, exit, code, input } of CASES) {
    it(`afg ${args}${input === undefined ? "" : ` < ${JSON.stringify(String(input))}`}: ${exit} ${code}`, async () => {
      const words = args === "" ? [] : args.split(" ")
      const outcome = await afg(cwd, [...words, "--json"], input)
      const document = JSON.parse(outcome.stdout) as { error: { code: string; message: string } }
      assert.deepEqual(Object.keys(document), ["error"])
      assert.deepEqual({ exit: outcome.code, code: document.error.code }, { exit, code })
      assert.ok(document.error.message.length > 0)
    })
  }
})

describe("afg judging what is malformed", { concurrency: 2 }, () => {
  it("lint: a text that is not JSON is not acceptable, and has no hash", async () => {
    const { code, stdout } = await afg(cwd, ["contract", "lint", "bad.json", "--json"])
    const { acceptable, contract_hash, rejects } = JSON.parse(stdout) as {
      acceptable: boolean
      contract_hash: null
      rejects: { code: string }[]
    }
    assert.deepEqual(
      { code, acceptable, contract_hash, codes: rejects.map((one) => one.code) },
      { code: 1, acceptable: false, contract_hash: null, codes: ["json-syntax"] },
    )
  })

  it("evidence verify: a file that is no bundle is invalid", async () => {
    const { code, stdout } = await afg(cwd, ["evidence", "verify", "-", "--json"], "{bad")
    const { valid, problems } = JSON.parse(stdout) as { valid: boolean; problems: { code: string }[] }
    assert.deepEqual({ code, valid, codes: problems.map((one) => one.code) }, { code: 1, valid: false, codes: ["bundle-malformed"] })
  })
})

describe("afg without --json", { concurrency: 2 }, () => {
  it("keeps standard output empty when it fails", async () => {
    const { code, stdout, stderr } = await afg(cwd, ["contract", "hash", "missing.json"])
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.match(stderr, /^afg: file-unreadable: /)
  })

  it("prints the digits of a hash and the canonical bytes alone", async () => {
    const { stdout: hash } = await afg(cwd, ["contract", "hash", "-"], '{"b":1,"a":2}')
    assert.match(hash, /^[0-9a-f]{64}\n$/)
    const { stdout: bytes } = await afg(cwd, ["jcs", "-"], '{"b":1.0,"a":2}')
    assert.equal(bytes, '{"a":2,"b":1}')
  })

  it("helps on every level", async () => {
    for (const words of [[], ["contract"], ["contract", "lint"]]) {
      const { code, stdout } = await afg(cwd, [...words, "--help"])
      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`^Usage: afg ?${words.join(" ")}`))
    }
  })
})
