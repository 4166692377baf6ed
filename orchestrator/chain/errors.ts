import type { ErrorTable } from "../errors.ts"

/** Codes of the chain's edge. */
export const ERRORS = {
  chain_refused: {
    status: 409,
    what: "The contracts refuse the call now; nothing was sent. `details.error` is the contract's own error, `details.args` its arguments.",
    recovery: "Read the contract's error: most often the window has closed, or the job has moved on. Sending the same again does not help.",
  },
  chain_reverted: {
    status: 409,
    what: "The transaction was mined and reverted: the job had moved on in the meantime.",
    recovery: "Read the job again; what is still due is tried again by itself.",
  },
  chain_unavailable: {
    status: 503,
    what: "The chain's RPC does not answer, or answers nonsense.",
    recovery: "Wait: it is tried again. Check RPC_URL and the node when it lasts.",
  },
  chain_pending: {
    status: 202,
    what: "The transaction was sent and is not mined yet.",
    recovery: "Wait for `details.tx`. It is never sent a second time with another nonce while it may still be mined.",
  },
  chain_nonce_taken: {
    status: 503,
    what: "Another program used the keeper's key and took the transaction's nonce: it can never be mined.",
    recovery: "The action is tried again by itself. Give the keeper a key that nobody else uses.",
  },
  chain_mismatch: {
    status: 500,
    what: "The RPC serves another chain than the one that was deployed to.",
    recovery: "Point RPC_URL and DEPLOYMENT_FILE at the same chain.",
  },
  gas_budget_exhausted: {
    status: 429,
    what: "The keeper has spent as much gas on this job or wallet as it gives away.",
    recovery: "Send the transaction yourself: every answer to an act carries it.",
  },
  rail_unsupported: {
    status: 501,
    what: "This version of the resolver has no call for this act.",
    recovery: "Use a deployment that has it.",
  },
  "deployment-unreadable": {
    status: 500,
    what: "The file that says what is deployed cannot be read or is not of the expected form.",
    recovery: "Deploy again, or point DEPLOYMENT_FILE at the JSON written by the deployment.",
  },
} as const satisfies ErrorTable
