/** Codes of the job contract: reading it, deriving its Terms, signing. The linter's rules are in `lint/` and join this table. */
import type { ErrorEntry, ErrorTable } from "../errors.ts"
import { ERRORS as JSON_ERRORS } from "../json/errors.ts"
import { LINT_CATALOG } from "./lint/catalog.ts"

/** A malformed member can have its rule's code as soon as the contract is read. */
const LINT_ERRORS: ErrorTable = Object.fromEntries(
  LINT_CATALOG.map(({ code, what, fix }): [string, ErrorEntry] => [code, { status: 422, what, recovery: fix }]),
)

export const ERRORS: ErrorTable = {
  ...JSON_ERRORS,
  ...LINT_ERRORS,
  "key-not-role": {
    status: 403,
    what: "The key is not the one that the contract names for the role.",
    recovery: "Sign with that role's key, or name this key's address in the contract.",
  },
  "key-malformed": {
    status: 400,
    what: "The file holds no secp256k1 private key.",
    recovery: "Give 32 bytes of hex (with or without 0x), or a JWK with crv secp256k1 and d.",
  },
  "rpc-unreachable": { status: 503, what: "The chain's RPC does not answer.", recovery: "Check the URL, then try again." },
  "rpc-wrong-chain": {
    status: 400,
    what: "The RPC belongs to another chain than the contract's price.",
    recovery: "Give an RPC of the chain that `price.chain_id` names.",
  },
  "tree-empty": { status: 422, what: "A glob or folder matches no file.", recovery: "Correct the pattern or the input." },
  "tree-path": {
    status: 422,
    what: "A path in a set of files is absolute, not normal, or there twice.",
    recovery: "Use paths relative to the repository's root, each once.",
  },
  "template-unknown": { status: 404, what: "There is no template of that name.", recovery: "`afg contract template` lists the names." },
}
