/** Proofs that one hash is in the evidence, for anyone who has only the root. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree"
import { AfgError } from "../../errors.ts"
import { type Hex, type Sha256, toBytes32 } from "../../types.ts"
import { LEAF_ENCODING, leavesOf, treeOf } from "./merkle.ts"
import type { EvidenceBundle } from "./schema.ts"

/** What is on chain carries 0x: leaf, proof and root as OpenZeppelin's `MerkleProof` takes them. */
export type LeafProof = { label: string; sha256: Sha256; leaf: Hex; proof: Hex[]; root: Hex }

export const labelsOf = (bundle: EvidenceBundle): string[] => leavesOf(bundle).map(({ label }) => label)

/** Throws `label-unknown`. */
export const proveLeaf = (bundle: EvidenceBundle, label: string): LeafProof => {
  const found = leavesOf(bundle).find((leaf) => leaf.label === label)
  if (found === undefined) throw new AfgError("label-unknown", `the evidence has no leaf ${label}`)
  const tree = treeOf(bundle)
  const value: [string, string] = [label, toBytes32(found.sha256)]
  return { label, sha256: found.sha256, leaf: tree.leafHash(value) as Hex, proof: tree.getProof(value) as Hex[], root: tree.root as Hex }
}

/** Whether a proof holds for a label, a hash and a root. */
export const checkProof = ({ label, sha256, proof }: Pick<LeafProof, "label" | "sha256" | "proof">, root: Hex): boolean =>
  StandardMerkleTree.verify(root, LEAF_ENCODING, [label, toBytes32(sha256)], proof)
