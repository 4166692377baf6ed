import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { contractHash, type TreeEntry, treeHash } from "../../orchestrator/contract/index.ts"
import { canonicalize, type JsonObject, type JsonValue, sha256Hex } from "../../orchestrator/json/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import { changed, FIXTURES, fixtureContract, fixtureText } from "./support/examples.ts"

const afg = join(import.meta.dirname, "../../orchestrator/cli/afg.ts")

type Answer = { exit: number | null; stdout: string; stderr: string; json: () => JsonObject }

const run = (args: string[], input?: string | Uint8Array): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [afg, ...args], { stdio: "pipe" })
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk))
    child.on("error", reject)
    child.on("close", (exit) => {
      const text = Buffer.concat(stdout).toString("utf8")
      resolve({ exit, stdout: text, stderr: Buffer.concat(stderr).toString("utf8"), json: () => JSON.parse(text) as JsonObject })
    })
    // A command that refuses its arguments does not read what it is given.
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
  })

const codeFix = join(FIXTURES, "code-fix.json")
const claimFile = join(FIXTURES, "claim-file.json")

let directory = ""
const file = (name: string, content: string): string => {
  writeFileSync(join(directory, name), content)
  return join(directory, name)
}

before(() => {
  directory = mkdtempSync(join(tmpdir(), "afg-contract-"))
})
after(() => rmSync(directory, { recursive: true, force: true }))

describe("afg jcs", { concurrency: 2 }, () => {
  it("prints the canonical bytes and nothing else", async () => {
    const { exit, stdout } = await run(["jcs", "-"], '{ "b": 1.0, "a": "\\u20ac" }')
    assert.deepEqual([exit, stdout], [0, '{"a":"€","b":1}'])
  })

  it("ends with 2 on bytes that have no canonical form, with code and path", async () => {
    const { exit, json } = await run(["jcs", "-", "--json"], '{"x":[-0]}')
    const { error } = json() as { error: JsonObject }
    assert.deepEqual([exit, error.code, error.path], [2, "json-negative-zero", "/x/0"])
  })

  it("ends with 2 on a missing file", async () => {
    const { exit, json } = await run(["jcs", "no-such-file", "--json"])
    assert.deepEqual([exit, (json().error as JsonObject).code], [2, "file-unreadable"])
  })
})

describe("afg contract template", { concurrency: 2 }, () => {
  it("without a name gives the names", async () => {
    const { exit, stdout } = await run(["contract", "template"])
    assert.deepEqual([exit, stdout], [0, "code-fix\nclaim-file\nschema\n"])
  })

  it("gives a contract that lints clean, the same every time", async () => {
    const [first, second] = await Promise.all([
      run(["contract", "template", "code-fix"]),
      run(["contract", "template", "code-fix", "--json"]),
    ])
    assert.deepEqual(second.json(), first.json())
    const linted = await run(["contract", "lint", "-", "--json"], first.stdout)
    assert.deepEqual([linted.exit, linted.json().rejects, linted.json().warnings], [0, [], []])
  })

  it("ends with 2 for an unknown name", async () => {
    const { exit, json } = await run(["contract", "template", "moon", "--json"])
    assert.deepEqual([exit, (json().error as JsonObject).code], [2, "template-unknown"])
  })
})

describe("afg contract hash", { concurrency: 2 }, () => {
  it("gives 64 digits, or JSON", async () => {
    const hash = contractHash(fixtureContract("code-fix"))
    const [plain, json] = await Promise.all([run(["contract", "hash", codeFix]), run(["contract", "hash", codeFix, "--json"])])
    assert.deepEqual([plain.exit, plain.stdout], [0, `${hash}\n`])
    assert.deepEqual(json.json(), { contract_hash: hash })
  })

  it("ends with 2 on what has no hash", async () => {
    const [duplicate, list] = await Promise.all([
      run(["contract", "hash", "-", "--json"], '{"a":1,"a":2}'),
      run(["contract", "hash", "-", "--json"], "[]"),
    ])
    assert.deepEqual([duplicate.exit, (duplicate.json().error as JsonObject).code], [2, "json-duplicate-key"])
    assert.deepEqual([list.exit, (list.json().error as JsonObject).code], [2, "schema"])
  })
})

describe("afg contract lint", { concurrency: 2 }, () => {
  it("ends with 0 or 1, and names every finding", async () => {
    const [bad, known] = await Promise.all([
      run(["contract", "lint", claimFile, "--json"]),
      run(["contract", "lint", claimFile, "--validators", join(FIXTURES, "validators.json"), "--json"]),
    ])
    const { acceptable, contract_hash, checks, rejects, warnings } = bad.json()
    assert.deepEqual([bad.exit, acceptable, warnings], [1, false, []])
    assert.equal(contract_hash, contractHash(fixtureContract("claim-file")))
    assert.deepEqual(checks, [
      { check_id: "e1", type: "snip_validation", class: "deterministic" },
      { check_id: "e2", type: "script_check", class: "deterministic" },
    ])
    assert.deepEqual(
      (rejects as JsonObject[]).map(({ code, path }) => [code, path]),
      [["validator-unavailable", "/acceptance/checks/0/validator"]],
    )
    assert.deepEqual([known.exit, known.json().acceptable], [0, true])
  })

  it("judges what is no contract: 1, not 2", async () => {
    const { exit, json } = await run(["contract", "lint", "-", "--json"], '{"a":1,"a":2}')
    assert.deepEqual([exit, json().acceptable, json().contract_hash], [1, false, null])
  })

  it("takes --now, --margin and --rubric-cap, and refuses malformed ones with 2", async () => {
    const [late, margin, bad] = await Promise.all([
      run(["contract", "lint", codeFix, "--now", "2026-09-27T00:00:00Z", "--json"]),
      run(["contract", "lint", codeFix, "--margin", "999999", "--rubric-cap", "1.00", "--json"]),
      run(["contract", "lint", codeFix, "--now", "yesterday", "--json"]),
    ])
    assert.deepEqual(
      (late.json().rejects as JsonObject[]).map(({ code }) => code),
      ["deadline-order"],
    )
    assert.deepEqual([margin.exit, (margin.json().warnings as JsonObject[]).map(({ code }) => code)], [0, ["expiry-margin-low"]])
    assert.deepEqual([bad.exit, (bad.json().error as JsonObject).code], [2, "time-malformed"])
  })

  it("hashes the inputs of a directory: files, folders below their uri, files by hash", async () => {
    const inputs = join(directory, "inputs")
    await mkdir(join(inputs, "tests/unit"), { recursive: true })
    await writeFile(join(inputs, "repo@base"), "bundle")
    await writeFile(join(inputs, "tests/a.py"), "a")
    await writeFile(join(inputs, "tests/unit/run.sh"), "b", { mode: 0o755 })
    await symlink("a.py", join(inputs, "tests/link"))
    const hidden = sha256Hex("hidden")
    await writeFile(join(inputs, hidden), "hidden")
    const tests = treeHash([
      { path: "tests/a.py", mode: "100644", sha256: sha256Hex("a") },
      { path: "tests/link", mode: "120000", sha256: sha256Hex("a.py") },
      { path: "tests/unit/run.sh", mode: "100755", sha256: sha256Hex("b") },
    ] satisfies TreeEntry[])
    const contract = changed("code-fix", {
      "/inputs/0/sha256": sha256Hex("bundle"),
      "/inputs/1/sha256": tests,
      "/inputs/2/sha256": hidden,
      "/acceptance/checks/0/test_suite_sha256": tests,
      "/acceptance/checks/0/hidden_suite_sha256": hidden,
    })
    const good = await run(["contract", "lint", "-", "--inputs", inputs, "--json"], JSON.stringify(contract))
    assert.deepEqual([good.exit, good.json().rejects, good.json().warnings], [0, [], []])
    await writeFile(join(inputs, "tests/a.py"), "changed")
    const bad = await run(["contract", "lint", "-", "--inputs", inputs, "--json"], JSON.stringify(contract))
    assert.deepEqual(
      (bad.json().rejects as JsonObject[]).map(({ code, path }) => [code, path]),
      [["input-mismatch", "/inputs/1/sha256"]],
    )
    const missing = await run(["contract", "lint", "-", "--inputs", join(directory, "nowhere"), "--json"], JSON.stringify(contract))
    assert.deepEqual([missing.exit, (missing.json().error as JsonObject).code], [2, "inputs-unreadable"])
  })

  it("ends with 3 when the chain does not answer", async () => {
    const { exit, json } = await run(["contract", "lint", codeFix, "--rpc", "http://127.0.0.1:9", "--json"])
    assert.deepEqual([exit, (json().error as JsonObject).code], [3, "rpc-unreachable"])
  })
})

describe("afg contract terms", { concurrency: 2 }, () => {
  it("gives the Terms as to be signed", async () => {
    const { exit, json } = await run(["contract", "terms", codeFix, "--json"])
    const { terms_hash, digest, ...documents } = json()
    const { terms, typed_data } = documents as { terms: JsonObject; typed_data: JsonObject }
    assert.equal(exit, 0)
    assert.equal(terms.contractHash, `0x${contractHash(fixtureContract("code-fix"))}`)
    assert.equal((terms.money as JsonObject).price, "40000000")
    assert.deepEqual(typed_data.message, terms)
    assert.deepEqual([typed_data.primaryType, (typed_data.domain as JsonObject).chainId], ["Terms", 31337])
    assert.match(String(terms_hash), /^0x[0-9a-f]{64}$/)
    assert.match(String(digest), /^0x[0-9a-f]{64}$/)
  })

  it("ends with 2 where they do not follow", async () => {
    const { exit, json } = await run(
      ["contract", "terms", "-", "--json"],
      JSON.stringify(changed("code-fix", { "/escrow/escrow_ref": "x" })),
    )
    const { code, path } = json().error as JsonObject
    assert.deepEqual([exit, code, path], [2, "terms-underivable", "/escrow/escrow_ref"])
  })
})

describe("afg contract sign and verify", () => {
  const jwk = JSON.stringify({
    kty: "EC",
    crv: "secp256k1",
    d: Buffer.from(localAccount("provider").privateKey.slice(2), "hex").toString("base64url"),
  })
  const statuses = ({ buyer, provider, mediator }: JsonObject): JsonValue[] =>
    [buyer, provider, mediator].map((one) => (one as JsonObject).valid ?? null)

  it("signs role by role, from hex with and without 0x and from a JWK, until all is valid", async () => {
    const keys = {
      buyer: file("buyer.key", localAccount("buyer").privateKey),
      provider: file("provider.jwk", jwk),
      mediator: file("mediator.key", `${localAccount("mediator").privateKey.slice(2)}\n`),
    }
    let text = fixtureText("code-fix")
    const seen: unknown[] = []
    for (const role of ["buyer", "provider", "mediator"] as const) {
      const signed = await run(["contract", "sign", "-", "--role", role, "--key-file", keys[role], "--json"], text)
      assert.equal(signed.exit, 0, signed.stdout)
      text = signed.stdout
      const verified = await run(["contract", "verify", "-", "--json"], text)
      seen.push([verified.exit, ...statuses(verified.json())])
    }
    assert.deepEqual(seen, [
      [3, true, null, null],
      [3, true, true, null],
      [0, true, true, true],
    ])
    const { signatures, ...rest } = JSON.parse(text) as JsonObject
    assert.equal(canonicalize(rest), canonicalize(JSON.parse(fixtureText("code-fix"))), "nothing but the signatures was added")
    assert.deepEqual(Object.keys(signatures as JsonObject), ["buyer", "provider", "mediator"])

    const tampered = await run(["contract", "verify", "-", "--json"], text.replace('"40.00"', '"41.00"'))
    assert.deepEqual([tampered.exit, statuses(tampered.json())], [1, [null, null, false]])
  })

  it("ends with 1 when the key is not the role's", async () => {
    const { exit, json } = await run(["contract", "sign", codeFix, "--role", "buyer", "--key-file", file("p.jwk", jwk), "--json"])
    assert.deepEqual([exit, (json().error as JsonObject).code], [1, "key-not-role"])
  })

  it("ends with 2 for a file that is no key, and does not repeat it", async () => {
    const { exit, json, stdout, stderr } = await run([
      "contract",
      "sign",
      codeFix,
      "--role",
      "buyer",
      "--key-file",
      file("bad.key", "correct horse"),
      "--json",
    ])
    assert.deepEqual([exit, (json().error as JsonObject).code], [2, "key-malformed"])
    assert.ok(!`${stdout}${stderr}`.includes("correct horse"))
  })

  it("ends with 2 for another role or without a key", async () => {
    const [role, key] = await Promise.all([
      run(["contract", "sign", codeFix, "--role", "judge", "--key-file", file("b.key", localAccount("buyer").privateKey), "--json"]),
      run(["contract", "sign", codeFix, "--role", "buyer", "--json"]),
    ])
    assert.deepEqual([role.exit, key.exit], [2, 2])
    assert.equal((role.json().error as JsonObject).code, "usage")
  })

  it("a document that is no contract carries no valid signature: 1", async () => {
    const { exit, json } = await run(["contract", "verify", "-", "--json"], "{}")
    assert.deepEqual([exit, (json().error as JsonObject).code], [1, "schema"])
  })
})
