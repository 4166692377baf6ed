import assert from "node:assert/strict"
import { createPublicKey, verify } from "node:crypto"
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, type TestContext, test } from "node:test"
import { hashMessage } from "viem"
import { loadServiceKey, readServiceKey } from "../../../orchestrator/confirmation-service/signing/service-key.ts"
import { erc7913Signer, evidenceSigner, signRaw } from "../../../orchestrator/confirmation-service/signing/signer.ts"

const place = async (t: TestContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "afg-key-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return join(directory, "keys", "key.json")
}

describe("the service's key", () => {
  test("is made once, in a file of mode 0600, and found again", async (t) => {
    const file = await place(t)
    const made = loadServiceKey(file, 1_234)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.deepEqual(loadServiceKey(file, 9_999), made)
    assert.deepEqual(readServiceKey(file), made)
    assert.equal(made.nbf, 1_234)
    assert.deepEqual(await readdir(join(file, "..")), ["key.json"])
  })

  test("that others can read is refused", async (t) => {
    const file = await place(t)
    loadServiceKey(file, 0)
    for (const mode of [0o640, 0o604, 0o660]) {
      await chmod(file, mode)
      assert.throws(() => loadServiceKey(file, 0), { code: "confirm-key-unusable" })
    }
  })

  test("that is missing is not made by those who only read", async (t) => {
    const file = await place(t)
    assert.throws(() => readServiceKey(file), { code: "confirm-key-unusable" })
    await assert.rejects(stat(file))
  })

  const OTHER_D = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"
  const FAULTS: Readonly<Record<string, (jwk: Record<string, unknown>) => unknown>> = {
    "no JSON": () => undefined,
    "no private part": ({ d: _none, ...jwk }) => jwk,
    "another curve": (jwk) => ({ ...jwk, crv: "P-384" }),
    "a private part that is not the public one's": (jwk) => ({ ...jwk, d: OTHER_D }),
    "a point off the curve": (jwk) => ({ ...jwk, y: jwk.x }),
    "an extra member": (jwk) => ({ ...jwk, alg: "none" }),
  }
  test("that is malformed is refused, without being quoted", async (t) => {
    const file = await place(t)
    loadServiceKey(file, 0)
    const good = JSON.parse(await readFile(file, "utf8"))
    for (const [name, change] of Object.entries(FAULTS)) {
      await t.test(name, async () => {
        await writeFile(file, JSON.stringify(change(good)) ?? "{")
        assert.throws(
          () => loadServiceKey(file, 0),
          (error: Error & { code?: string }) => error.code === "confirm-key-unusable" && !error.message.includes(good.d),
        )
      })
    }
  })

  test("signs the same bytes alike each time, as ES256", async (t) => {
    const key = loadServiceKey(await place(t), 0)
    const signer = evidenceSigner(key)
    const bytes = Buffer.from("evidence")
    const signature = await signer.sign(bytes)
    assert.deepEqual(await signer.sign(bytes), signature)
    const publicKey = createPublicKey({
      key: { kty: "EC", crv: "P-256", x: Buffer.from(key.x).toString("base64url"), y: Buffer.from(key.y).toString("base64url") },
      format: "jwk",
    })
    assert.ok(verify("sha256", bytes, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature))
  })

  test("has r and s in 32 bytes each and s in the lower half, over many digests", async (t) => {
    const key = loadServiceKey(await place(t), 0)
    for (let n = 0; n < 200; n++) {
      const signature = signRaw(key, hashMessage(String(n)))
      assert.equal(signature.length, 2 + 128)
      assert.ok(BigInt(`0x${signature.slice(66)}`) <= 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n)
    }
  })

  test("names itself as verifier ++ x ++ y", async (t) => {
    const key = loadServiceKey(await place(t), 0)
    const signer = erc7913Signer(key, "0xE7F1725E7734CE288F8367E1BB143E90BB3F0512")
    assert.equal(
      signer,
      `0xe7f1725e7734ce288f8367e1bb143e90bb3f0512${Buffer.from(key.x).toString("hex")}${Buffer.from(key.y).toString("hex")}`,
    )
  })
})
