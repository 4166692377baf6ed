/** Who sent this request: the agent's signature over what it asks, checked and its nonce used up. */
import { isAddress, recoverMessageAddress } from "viem"
import type { Connection } from "../store/index.ts"
import type { Address, Hex } from "../types.ts"
import type { ApiContext, ApiServices } from "./context.ts"
import { ApiError } from "./problem.ts"
import { requestMessage, SIGNATURE_HEADERS } from "./signed-request.ts"

/** Seconds that the agent's clock may differ from ours. */
const CLOCK_WINDOW = 60
const NONCE = /^[\x21-\x7e]{16,64}$/

type Credentials = { address: Address; nonce: string; timestamp: number; signature: Hex }

const credentialsOf = (c: ApiContext): Credentials | null => {
  const address = c.req.header(SIGNATURE_HEADERS.address)
  const nonce = c.req.header(SIGNATURE_HEADERS.nonce)
  const timestamp = c.req.header(SIGNATURE_HEADERS.timestamp)
  const signature = c.req.header(SIGNATURE_HEADERS.signature)
  if (address === undefined && nonce === undefined && timestamp === undefined && signature === undefined) return null
  if (address === undefined || nonce === undefined || timestamp === undefined || signature === undefined)
    throw new ApiError("signature_missing", "all four signature headers are needed")
  if (!isAddress(address, { strict: false })) throw new ApiError("signature_invalid", "AFG-Address is not an address")
  if (!NONCE.test(nonce)) throw new ApiError("signature_invalid", "AFG-Nonce is not 16 to 64 visible characters")
  if (!/^\d{1,12}$/.test(timestamp)) throw new ApiError("signature_invalid", "AFG-Timestamp is not Unix seconds")
  if (!/^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature)) throw new ApiError("signature_invalid", "AFG-Signature is not hex")
  return { address: address.toLowerCase() as Address, nonce, timestamp: Number(timestamp), signature: signature as Hex }
}

/** Uses up a nonce. False when this address used it before. */
const consumeNonce = async (db: Connection, { address, nonce }: Credentials, now: number): Promise<boolean> => {
  await db.deleteFrom("afg.request_nonces").where("keep_until", "<", now).execute()
  const fresh = await db
    .insertInto("afg.request_nonces")
    .values({ address, nonce, keep_until: now + 2 * CLOCK_WINDOW })
    .onConflict((conflict) => conflict.doNothing())
    .returning("nonce")
    .execute()
  return fresh.length === 1
}

const signedBy = async (services: ApiServices, credentials: Credentials, message: string): Promise<boolean> => {
  const recovered = await recoverMessageAddress({ message, signature: credentials.signature }).catch(() => null)
  if (recovered?.toLowerCase() === credentials.address) return true
  return services.verifyMessage(credentials.address, message, credentials.signature)
}

/** The signing agent's address in lower case, or null for an unsigned request. Throws `signature_…` or `nonce_reused`. */
export const authenticate = async (services: ApiServices, c: ApiContext): Promise<Address | null> => {
  const credentials = credentialsOf(c)
  if (credentials === null) return null
  const now = services.clocks.wall()
  if (Math.abs(now - credentials.timestamp) > CLOCK_WINDOW)
    throw new ApiError("signature_expired", `AFG-Timestamp is ${credentials.timestamp}, our clock says ${now}`)
  const url = new URL(c.req.url)
  const message = requestMessage({
    method: c.req.method,
    path: `${url.pathname}${url.search}`,
    body: c.get("body"),
    address: credentials.address,
    nonce: credentials.nonce,
    timestamp: credentials.timestamp,
  })
  if (!(await signedBy(services, credentials, message)))
    throw new ApiError("signature_invalid", `the signature is not ${credentials.address}'s`)
  if (!(await consumeNonce(services.store.db, credentials, now))) throw new ApiError("nonce_reused", "sign again with a fresh nonce")
  return credentials.address
}

/** The signing agent; throws `signature_missing` for an unsigned request. */
export const requireAgent = (c: ApiContext): Address => {
  const agent = c.get("agent")
  if (agent === null) throw new ApiError("signature_missing", "this route takes signed requests only")
  return agent
}

/** The signing agent must be `wallet`, which plays `role` in the job. */
export const requireParty = (c: ApiContext, wallet: string, role: string): void => {
  if (requireAgent(c) !== wallet.toLowerCase()) throw new ApiError("wrong_party", `only the ${role}, ${wallet}, may do this`)
}
