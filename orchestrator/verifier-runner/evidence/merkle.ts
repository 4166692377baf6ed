/** The Merkle tree whose root goes on chain: leaves `(label, sha256)` in an OpenZeppelin standard tree. */
import { StandardMerkleTree } from "@openzeppelin/merkle-tree"
import { digestOf, type JsonValue, toPointer } from "../../json/index.ts"
import { fromBytes32, type Hex, type Sha256, toBytes32 } from "../../types.ts"
import type { EvidenceBundle } from "./schema.ts"

/** A label is an RFC 6901 pointer into the bundle, or one of `/manifest`, `/check_results/<i>`, `/check_results/<i>/result`. */
export type Leaf = { label: string; sha256: Sha256 }

/** The bundle before it has a root and a signature. */
export type Manifest = Omit<EvidenceBundle, "merkle_root" | "verifier_sig">

export const LEAF_ENCODING: ["string", "bytes32"] = ["string", "bytes32"]

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

const hashesIn = (base: string, hashes: Readonly<Record<string, Sha256>>): Leaf[] =>
  Object.entries(hashes).map(([name, sha256]) => ({ label: `${base}${toPointer([name])}`, sha256 }))

/**
 * One leaf per hash in the bundle, one per whole check result (its JCS) and per result digest, one per receipt, and `/manifest`: the bundle without root
 * and signature. So nothing in it can change unseen, and each part can be proved alone.
 */
export const leavesOf = (manifest: Manifest): Leaf[] => {
  const { merkle_root: _root, verifier_sig: _signature, ...rest } = manifest as EvidenceBundle
  return [
    { label: "/contract_hash", sha256: rest.contract_hash },
    { label: "/submission/deliverable_sha256", sha256: rest.submission.deliverable_sha256 },
    ...rest.check_results.flatMap((result, index) => {
      const base = `/check_results/${index}`
      return [
        { label: base, sha256: digestOf(plain(result)) },
        { label: `${base}/result`, sha256: result.result_sha256 },
        ...(result.runner_image === undefined
          ? []
          : [{ label: `${base}/runner_image`, sha256: result.runner_image.slice("sha256:".length) as Sha256 }]),
        ...hashesIn(`${base}/input_hashes`, result.input_hashes),
        ...hashesIn(`${base}/output_hashes`, result.output_hashes),
        ...(result.log_sha256 === undefined ? [] : [{ label: `${base}/log_sha256`, sha256: result.log_sha256 }]),
      ]
    }),
    ...hashesIn("/seeds", rest.seeds),
    ...rest.receipts.map((receipt, index) => ({ label: `/receipts/${index}`, sha256: digestOf(plain(receipt)) })),
    { label: "/manifest", sha256: digestOf(plain(rest)) },
  ]
}

export const treeOf = (manifest: Manifest): StandardMerkleTree<[string, string]> =>
  StandardMerkleTree.of(
    leavesOf(manifest).map(({ label, sha256 }): [string, string] => [label, toBytes32(sha256)]),
    LEAF_ENCODING,
  )

/** The root as documents write it. */
export const merkleRoot = (manifest: Manifest): Sha256 => fromBytes32(treeOf(manifest).root as Hex)
