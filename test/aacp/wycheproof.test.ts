/** Wycheproof's signature vectors, through the one function that judges signatures. */
import assert from "node:assert/strict"
import { createPublicKey, type JsonWebKey } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { type Algorithm, verifySignature } from "../../orchestrator/aacp/algorithms.ts"

const folder = join(import.meta.dirname, "../../../shared/vectors/wycheproof")

type Group = { publicKeyJwk?: JsonWebKey; publicKeyDer?: string; publicKey?: { sha?: string }; sha?: string; tests: Case[] }
type Case = { tcId: number; comment: string; msg: string; sig: string; result: "valid" | "invalid" | "acceptable" }

const keyOf = (group: Group) =>
  group.publicKeyJwk === undefined
    ? createPublicKey({ key: Buffer.from(group.publicKeyDer ?? "", "hex"), format: "der", type: "spki" })
    : createPublicKey({ key: group.publicKeyJwk, format: "jwk" })

const SUITES: readonly [file: string, algorithm: Algorithm, cases: number][] = [
  ["ecdsa_secp256r1_sha256_p1363_test.json", "ES256", 262],
  ["ed25519_test.json", "EdDSA", 151],
]

describe("Wycheproof", () => {
  for (const [file, algorithm, expected] of SUITES) {
    const path = join(folder, file)
    const skip = existsSync(path) ? false : `${path} is not here`
    it(`${algorithm}: all ${expected} cases of ${file}`, { skip }, () => {
      const { testGroups } = JSON.parse(readFileSync(path, "utf8")) as { testGroups: Group[] }
      let judged = 0
      for (const group of testGroups) {
        const key = keyOf(group)
        for (const { tcId, comment, msg, sig, result } of group.tests) {
          const good = verifySignature(algorithm, key, Buffer.from(msg, "hex"), Buffer.from(sig, "hex"))
          assert.notEqual(result, "acceptable", `${tcId} leaves it open: decide it here`)
          assert.equal(good, result === "valid", `${tcId}: ${comment}`)
          judged++
        }
      }
      assert.equal(judged, expected)
    })
  }
})
