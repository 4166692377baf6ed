/** Codes of the confirmation service. What AACP itself names (`confirmation_*`) is in `aacp/errors.ts`. */
import type { ErrorTable } from "../errors.ts"

export const ERRORS = {
  "confirm-config-invalid": {
    status: 500,
    what: "A setting of the confirmation service is missing or malformed.",
    recovery: "Correct the variable or file named in the message; docs/confirmation-service.md lists them all.",
  },
  "confirm-store-unusable": {
    status: 500,
    what: "The confirmation service's store cannot be opened, or another service process holds it.",
    recovery: "Stop the other process, or name the right data directory.",
  },
  "confirm-key-unusable": {
    status: 500,
    what: "The confirmation service's key file is unreadable, malformed or open to other users.",
    recovery: "Restore the file from its backup and give it mode 0600; a new key must be enrolled like a new service.",
  },
  "confirm-not-found": { status: 404, what: "No such route or confirmation.", recovery: "Check the address." },
  "confirm-internal": {
    status: 500,
    what: "An unexpected failure of the confirmation service.",
    recovery: "Repeat the same request: nothing is decided twice. The service's log has the cause.",
  },
  "request-media-type": {
    status: 415,
    what: "A confirmation request has another media type than AACP's.",
    recovery: "Send it as application/aacp-confirmation-request+json.",
  },
  "request-too-large": {
    status: 413,
    what: "The request's body exceeds the limit.",
    recovery: "Send the request and the contract alone; inputs are named by hash.",
  },
  "request-descriptor-missing": {
    status: 400,
    what: "The request carries no action-descriptor, so there is nothing to show.",
    recovery: "Send the whole descriptor in the member action-descriptor.",
  },
  "request-contract-missing": {
    status: 400,
    what: "The request carries no job contract to check the descriptor against.",
    recovery: "Send the whole contract in the member afg-contract.",
  },
  "request-lifetime-refused": {
    status: 400,
    what: "The request's lifetime is zero or longer than this service answers for.",
    recovery: "Ask with a lifetime within the limits that the message names.",
  },
  "request-known": {
    status: 409,
    what: "Another request with this request-id was received before.",
    recovery: "Send the first request unchanged to get its answer, or use a fresh id.",
  },
  "request-too-many": {
    status: 429,
    what: "This person already has as many undecided requests as one inbox takes.",
    recovery: "Wait until some are decided or expire.",
  },
  "rate-limited": { status: 429, what: "Too many requests from this address.", recovery: "Wait as Retry-After says." },
  "subject-unknown": {
    status: 403,
    what: "The request names no person that is enrolled here.",
    recovery: "The buyer's operator enrols its people; an agent cannot.",
  },
  "buyer-unknown": {
    status: 403,
    what: "The contract's buyer is not a wallet of the person named in the request.",
    recovery: "Name the operator of that buyer as subject, or have the operator enrol the wallet.",
  },
  "origin-unknown": {
    status: 403,
    what: "The action would be executed at an API that this service does not serve.",
    recovery: "The operator adds the API's origin to the service's configuration.",
  },
  "chain-not-served": {
    status: 403,
    what: "No method of confirmation that this service offers is admitted for the contract's chain.",
    recovery: "Use the local chain 31337, or a service with passkeys.",
  },
  "resolver-unknown": {
    status: 403,
    what: "The contract's resolver is not the one deployed on that chain as this service knows it.",
    recovery: "Use the deployment that the service is configured for.",
  },
  "audience-differs": {
    status: 403,
    what: "The request's audience is not the contract's buyer at the API of the action.",
    recovery: "Build the request for the buyer's own agent.",
  },
  "confirmer-differs": {
    status: 409,
    what: "The contract names another confirmer than this service, so its signature could not bind the job.",
    recovery: "Put this service's signer bytes into buyer.confirmer and have the contract signed again.",
  },
  "descriptor-differs": {
    status: 409,
    what: "The descriptor is not the one that this contract yields.",
    recovery: "Compute the descriptor from the contract again; `path` names the first difference.",
  },
  "contract-hash-differs": {
    status: 409,
    what: "The contract hash that the request states is not the hash of the contract it carries.",
    recovery: "Send the contract that was signed.",
  },
  "terms-hash-differs": {
    status: 409,
    what: "The terms hash that the request states is not that of the contract it carries.",
    recovery: "Send the contract that was signed.",
  },
  "action-expired": {
    status: 410,
    what: "The action's own deadline has passed.",
    recovery: "Agree on a contract with a later fund_by.",
  },
  "action-denied": {
    status: 403,
    what: "The person rejected this very action and has not allowed to be asked again.",
    recovery: "Stop. Only the person can allow another request, on the service's page.",
  },
  "session-missing": {
    status: 401,
    what: "The browser has no session here, or it has ended.",
    recovery: "Open a fresh link from `afg confirm link`.",
  },
  "link-invalid": {
    status: 410,
    what: "The link is unknown, used or expired.",
    recovery: "Make a fresh one with `afg confirm link`.",
  },
  "form-foreign": {
    status: 403,
    what: "The form was not rendered for this session, or was sent from another site.",
    recovery: "Open the page itself and decide there. Nothing was decided.",
  },
  "form-used": {
    status: 409,
    what: "The form was sent before.",
    recovery: "The first sending counts; open the page to see it.",
  },
  "form-expired": {
    status: 410,
    what: "The form is too old.",
    recovery: "Open the page again. Nothing was decided.",
  },
  "form-malformed": {
    status: 400,
    what: "The form lacks its token or its decision.",
    recovery: "Open the page itself and decide there. Nothing was decided.",
  },
  "dialog-expired": {
    status: 410,
    what: "The request's time has passed without a decision.",
    recovery: "The agent asks again with a new request.",
  },
  "already-decided": {
    status: 409,
    what: "This request was decided before; the first decision stands.",
    recovery: "Open the page to see it.",
  },
  "person-mismatch": {
    status: 409,
    what: "The page does not show what the principal expects to confirm.",
    recovery: "Do not confirm; find out who changed the action.",
  },
  "link-target-unclear": {
    status: 409,
    what: "There is no pending request, or more than one, to make a link for.",
    recovery: "Name the request's id.",
  },
  "subject-not-enrolled": {
    status: 400,
    what: "The running service knows nobody of that name.",
    recovery: "Name a subject of the buyers file.",
  },
  "secret-file-exists": {
    status: 409,
    what: "The file for the session's secret is there already.",
    recovery: "Name a new file: a secret is never written over another.",
  },
} as const satisfies ErrorTable

export type ConfirmErrorCode = keyof typeof ERRORS
