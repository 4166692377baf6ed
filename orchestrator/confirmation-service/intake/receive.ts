/** Takes one confirmation request in: read, admitted, recomputed, stored; or refused with the reason's own code. */
import { digestOfRendering, parseTime } from "../../aacp/index.ts"
import { CONTRACT_MEMBER, fundAction } from "../../contract/fund-action.ts"
import { asContract, type Contract, verifySignatures } from "../../contract/index.ts"
import { AfgError, isAfgError } from "../../errors.ts"
import type { JsonValue } from "../../json/index.ts"
import type { ConfirmErrorCode } from "../errors.ts"
import { appendAudit } from "../store/audit.ts"
import type { Database } from "../store/database.ts"
import { findRequest, insertRequest, pendingCount, type StoredRequest, standingDenial } from "../store/requests.ts"
import { type Admission, admitAudience, admitChain, admitOrigin, admitPerson } from "./admit.ts"
import { MAX_PENDING } from "./limits.ts"
import { type IncomingRequest, readIncoming } from "./read-request.ts"
import { assertSameAction, viewOf } from "./recompute.ts"

const refuse = (code: ConfirmErrorCode, message: string, path?: string): never => {
  throw new AfgError(code, message, { path })
}

/** The contract's own faults, with the path from the request's root. */
const inContract = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!isAfgError(error)) throw error
    throw new AfgError(error.code, error.message, { path: `/${CONTRACT_MEMBER}${error.path ?? ""}`, cause: error })
  }
}

const readContract = (value: JsonValue): Contract => inContract(() => asContract(value))

/** ECDSA only: a contract wallet's answer would need the chain, which this service does not talk to. */
const isSignedByBuyer = async (contract: Contract): Promise<boolean> => (await verifySignatures(contract)).buyer.valid === true

/** Everything that is checked before the store is looked at. */
const examine = async (admission: Admission, incoming: IncomingRequest, now: number): Promise<StoredRequest> => {
  const { request, descriptor } = incoming
  const contract = readContract(incoming.contract)
  const subject = admitPerson(admission, request, contract)
  const origin = admitOrigin(admission, descriptor.type)
  const action = inContract(() => fundAction(contract, { publicOrigin: origin }))
  assertSameAction(action, contract, descriptor)
  const chain = admitChain(admission, contract)
  admitAudience(request, action)
  const fundBy = parseTime(action.expires) ?? 0
  if (fundBy < now) refuse("action-expired", `it had to be funded by ${action.expires}`, `/${CONTRACT_MEMBER}/escrow/fund_by`)
  const view = viewOf(contract, action, origin, await isSignedByBuyer(contract))
  return {
    requestId: request["request-id"],
    bodySha256: incoming.bodySha256,
    body: incoming.body,
    subject,
    actionDigest: request["action-digest"],
    view,
    renderingDigest: digestOfRendering(view.rows),
    chainId: chain.chainId,
    resolver: chain.resolver,
    termsHash: action.fields.terms_hash,
    fundBy,
    receivedAt: now,
    expiresAt: Math.min(now + request.lifetime, fundBy),
  }
}

/** The request of that id when it is the very same one. Throws `request-known` for another. */
const earlier = (database: Database, incoming: IncomingRequest): StoredRequest | null => {
  const known = findRequest(database, incoming.request["request-id"])
  if (known === undefined) return null
  if (known.bodySha256 !== incoming.bodySha256) return refuse("request-known", "this id belongs to another request", "/request-id")
  return known
}

/**
 * The stored request: a new one, or the same one again. Throws the codes of `read-request.ts`, `admit.ts` and `recompute.ts`, the
 * contract's own, and `request-known`, `action-expired`, `action-denied`, `request-too-many`; then nobody is asked.
 */
export const receive = async (database: Database, admission: Admission, bytes: Uint8Array, now: number): Promise<StoredRequest> => {
  const incoming = readIncoming(bytes)
  const known = earlier(database, incoming)
  if (known !== null) return known
  const request = await examine(admission, incoming, now)
  return database.transaction(() => {
    // Looked up again inside the transaction: the command line and other requests write too.
    const raced = earlier(database, incoming)
    if (raced !== null) return raced
    if (standingDenial(database, request.subject, request.actionDigest) !== null) {
      return refuse("action-denied", "the person rejected this action", "/action-digest")
    }
    const { signedByPayer } = request.view
    const limit = signedByPayer ? MAX_PENDING.signed : MAX_PENDING.unsigned
    if (pendingCount(database, request.subject, signedByPayer, now) >= limit) {
      return refuse("request-too-many", `${limit} such requests wait for this person already`)
    }
    insertRequest(database, request)
    appendAudit(database, {
      at: now,
      event: "request-received",
      requestId: request.requestId,
      detail: { subject: request.subject, action_digest: request.actionDigest, body_sha256: request.bodySha256 },
    })
    return request
  })
}
