/** Proofs of single hashes, checked by OpenZeppelin's library and by hand. */
import assert from "node:assert/strict"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { AbiCoder, keccak256 } from "ethers"
import { pack } from "tar-stream"
import { canonicalBytes, digestOf, type JsonValue, valueAt } from "../../../orchestrator/json/index.ts"
import { checkProof, labelsOf, loadBundle, proveLeaf, verifyBundle } from "../../../orchestrator/verifier-runner/index.ts"
import { plainContract, verifyPlain } from "../support/plain.ts"

const { bundle, bundleBytes, blobs } = await verifyPlain()
const contractBytes = canonicalBytes(JSON.parse(JSON.stringify(plainContract())) as JsonValue)
const plain = JSON.parse(JSON.stringify(bundle)) as JsonValue

/** OpenZeppelin's pairs, with another implementation of the hash. */
const climb = (leaf: string, proof: readonly string[]): string =>
  proof.reduce(
    (hash, next) =>
      keccak256(
        `0x${[hash, next]
          .sort()
          .map((one) => one.slice(2))
          .join("")}`,
      ),
    leaf,
  )

describe("proofs", () => {
  for (const label of labelsOf(bundle))
    it(label, () => {
      const proof = proveLeaf(bundle, label)
      const leaf = keccak256(keccak256(AbiCoder.defaultAbiCoder().encode(["string", "bytes32"], [label, `0x${proof.sha256}`])))
      assert.equal(proof.leaf, leaf)
      assert.equal(climb(leaf, proof.proof), `0x${bundle.merkle_root}`)
      assert.equal(proof.root, `0x${bundle.merkle_root}`)
      assert.equal(checkProof(proof, proof.root), true)
      assert.equal(checkProof({ ...proof, sha256: bundle.contract_hash, label: "/other" }, proof.root), false)
      const pointed = valueAt(plain, label)
      if (typeof pointed === "string") assert.equal(pointed.replace("sha256:", ""), proof.sha256)
    })

  it("/manifest and /check_results/0 are digests of the canonical form", () => {
    const { merkle_root: _root, verifier_sig: _sig, ...manifest } = bundle
    assert.equal(proveLeaf(bundle, "/manifest").sha256, digestOf(JSON.parse(JSON.stringify(manifest)) as JsonValue))
    assert.equal(proveLeaf(bundle, "/check_results/0").sha256, digestOf(JSON.parse(JSON.stringify(bundle.check_results[0])) as JsonValue))
    assert.equal(proveLeaf(bundle, "/check_results/0/result").sha256, bundle.check_results[0]?.result_sha256)
  })

  it("there is none for what is not there", () => {
    assert.throws(() => proveLeaf(bundle, "/nothing"), { code: "label-unknown" })
  })
})

describe("a bundle on disk", async () => {
  const directory = await mkdtemp(join(tmpdir(), "afg-bundle-"))
  after(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, "blobs"))
  await writeFile(join(directory, "bundle.json"), bundleBytes)
  await writeFile(join(directory, "contract.json"), contractBytes)
  for (const { sha256, bytes } of blobs) await writeFile(join(directory, "blobs", sha256), bytes)

  const tarOf = async (prefix: string): Promise<string> => {
    const tar = pack()
    tar.entry({ name: `${prefix}bundle.json` }, Buffer.from(bundleBytes))
    tar.entry({ name: `${prefix}contract.json` }, Buffer.from(contractBytes))
    for (const { sha256, bytes } of blobs) tar.entry({ name: `${prefix}blobs/${sha256}` }, Buffer.from(bytes))
    tar.finalize()
    const chunks: Buffer[] = []
    for await (const chunk of tar) chunks.push(chunk as Buffer)
    const path = join(directory, `${prefix.length}.tar`)
    await writeFile(path, Buffer.concat(chunks))
    return path
  }

  it("is read as a directory, as its tar, and alone", async () => {
    for (const path of [directory, await tarOf(""), await tarOf("evidence/")]) {
      const files = await loadBundle(path)
      assert.equal(files.blobs.size, blobs.length)
      assert.equal((await verifyBundle(files)).valid, true, path)
    }
    assert.equal((await verifyBundle(await loadBundle(join(directory, "bundle.json")))).valid, null)
  })

  it("is refused when there is none", async () => {
    await assert.rejects(loadBundle(join(directory, "nothing")), { code: "bundle-unreadable" })
    await assert.rejects(loadBundle(join(directory, "blobs")), { code: "bundle-unreadable" })
  })
})
