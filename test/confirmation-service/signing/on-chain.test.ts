/** The signature that `bind` checks, put before the very contract that checks it on chain. */
import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, type TestContext, test } from "node:test"
import { bytesToHex, concat, type Hex, hexToBytes, keccak256, parseAbi } from "viem"
import { loadServiceKey, type ServiceKey } from "../../../orchestrator/confirmation-service/signing/service-key.ts"
import { erc7913Signer, signRaw } from "../../../orchestrator/confirmation-service/signing/signer.ts"
import { viem } from "../../contracts/support/world.ts"

const VERIFIER = parseAbi(["function verify(bytes key, bytes32 hash, bytes signature) view returns (bytes4)"])
const ACCEPTED = "0x024ad318"

const makeKey = async (t: TestContext): Promise<ServiceKey> => {
  const directory = await mkdtemp(join(tmpdir(), "afg-key-"))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return loadServiceKey(join(directory, "key.json"), 0)
}

describe("the service's raw P-256 signature", () => {
  test("is accepted by OpenZeppelin's ERC7913P256Verifier under the published signer bytes, and no other is", async (t) => {
    const { address } = await viem.deployContract("ERC7913P256Verifier")
    const client = await viem.getPublicClient()
    const key = await makeKey(t)
    const signer = erc7913Signer(key, address)
    // ERC-7913: the first 20 bytes are the verifier's address, the rest is its key.
    assert.equal(signer.slice(0, 42), address.toLowerCase())
    const verify = async (hash: Hex, signature: Hex): Promise<boolean> =>
      (await client.readContract({ address, abi: VERIFIER, functionName: "verify", args: [`0x${signer.slice(42)}`, hash, signature] })) ===
      ACCEPTED
    for (let n = 0; n < 20; n++) {
      const digest = keccak256(bytesToHex(Uint8Array.of(n)))
      const signature = signRaw(key, digest)
      assert.ok(await verify(digest, signature))
      assert.ok(!(await verify(keccak256(digest), signature)))
      const swapped = concat([bytesToHex(hexToBytes(signature).subarray(32)), bytesToHex(hexToBytes(signature).subarray(0, 32))])
      assert.ok(!(await verify(digest, swapped)))
    }
  })
})
