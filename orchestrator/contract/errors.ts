/** Codes of the job contract: reading it, deriving its Terms, signing. The linter's rules have their own table in `lint/`. */
import type { ErrorTable } from "../errors.ts"
import { ERRORS as JSON_ERRORS } from "../json/errors.ts"

export const ERRORS = {
  ...JSON_ERRORS,
  schema: {
    status: 422,
    what: "The document is not a job contract: a member is missing, unknown, or of the wrong form.",
    recovery: "`path` names the member; compare with `afg contract template`.",
  },
  "amount-format": {
    status: 422,
    what: "An amount is not a decimal string, or has more places than its asset.",
    recovery: 'Write "40.00"; USDC has at most six places.',
  },
  "terms-underivable": {
    status: 422,
    what: "The Terms that everyone signs do not follow from the contract.",
    recovery:
      "Give the rail's reference in its form, one asset, and a roster in a data: URI (or the roster itself) with the pinned sha256.",
  },
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
  "tree-empty": { status: 422, what: "A glob or folder matches no file.", recovery: "Correct the pattern or the input." },
  "tree-path": {
    status: 422,
    what: "A path in a set of files is absolute, not normal, or there twice.",
    recovery: "Use paths relative to the repository's root, each once.",
  },
  "template-unknown": { status: 404, what: "There is no template of that name.", recovery: "`afg contract template` lists the names." },
} as const satisfies ErrorTable

export type ContractErrorCode = keyof typeof ERRORS
