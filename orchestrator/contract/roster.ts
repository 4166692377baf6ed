/** The panel's roster: a published list, pinned by hash in the contract and by another hash on chain. */
import { encodeAbiParameters, keccak256, toBytes } from "viem"
import { AfgError } from "../errors.ts"
import { canonicalize, parseStrictJson, sha256Hex } from "../json/index.ts"
import type { Hex } from "../types.ts"
import { type Panelist, roster as rosterSchema } from "./schema/agents.ts"
import type { Contract } from "./schema/contract.ts"

const DATA_URI_PREFIX = "data:application/json;base64,"

const ROSTER_ABI = [
  {
    type: "tuple[]",
    components: [
      { name: "wallet", type: "address" },
      { name: "modelProvider", type: "bytes32" },
      { name: "operator", type: "bytes32" },
    ],
  },
] as const

/** An id as the chain knows it: keccak256 of its UTF-8. */
export const idHash = (id: string): Hex => keccak256(toBytes(id))

/** `rosterHash` of Terms: keccak256(abi.encode((address, bytes32, bytes32)[])), in list order. */
export const rosterHash = (panelists: readonly Panelist[]): Hex =>
  keccak256(
    encodeAbiParameters(ROSTER_ABI, [
      panelists.map(({ wallet, model_provider, operator_id }) => ({
        wallet,
        modelProvider: idHash(model_provider),
        operator: idHash(operator_id),
      })),
    ]),
  )

/** `appeal.roster` of a list, with the list inside: the contract then needs nothing else to yield its Terms. */
export const inlineRoster = (panelists: readonly Panelist[]): Contract["appeal"]["roster"] => {
  const text = canonicalize(panelists)
  return { uri: DATA_URI_PREFIX + Buffer.from(text, "utf8").toString("base64"), sha256: sha256Hex(text) }
}

/**
 * The roster that a contract pins: from `bytes`, or from its own `data:` URI.
 *
 * Throws `terms-underivable` when it is neither given nor inside, is not what the hash pins, or is not a canonical list of panelists.
 */
export const readRoster = (contract: Pick<Contract, "appeal">, bytes?: Uint8Array | string): Panelist[] => {
  const { uri, sha256 } = contract.appeal.roster
  const underivable = (path: string, message: string, cause?: unknown): AfgError =>
    new AfgError("terms-underivable", message, { path: `/appeal/roster${path}`, cause })
  const content = bytes ?? dataUriContent(uri)
  if (content === undefined) throw underivable("/uri", "the roster is neither in a data: URI nor given")
  if (sha256Hex(content) !== sha256) throw underivable("/sha256", "the roster's bytes have another sha256")
  try {
    const list = parseStrictJson(content)
    if (canonicalize(list) !== Buffer.from(content).toString("utf8"))
      throw underivable("/uri", "the roster is not in canonical form (RFC 8785)")
    return rosterSchema.parse(list)
  } catch (cause) {
    throw cause instanceof AfgError && cause.code === "terms-underivable"
      ? cause
      : underivable("/uri", "the roster is not a list of {wallet, model_provider, operator_id, encryption_key}", cause)
  }
}

const dataUriContent = (uri: string): Uint8Array | undefined =>
  uri.startsWith(DATA_URI_PREFIX) ? Buffer.from(uri.slice(DATA_URI_PREFIX.length), "base64") : undefined
