/**
 * What the operator does by hand, on the service's own directory, while the service runs or not. Whoever can read that
 * directory holds the key; so these need no other permission, and none of them decides anything.
 */
import { writeFileSync } from "node:fs"
import { AfgError } from "../errors.ts"
import { clockFor } from "./clock.ts"
import { keyFileIn } from "./config.ts"
import { METHODS } from "./methods.ts"
import { publicJwks } from "./signing/jwks.ts"
import { readServiceKey } from "./signing/service-key.ts"
import { type Database, openDatabase } from "./store/database.ts"
import { createLink, LINK_SECONDS } from "./store/links.ts"
import { findRequest, stateOf, undecidedRequests } from "./store/requests.ts"
import { enrolScriptedSession } from "./store/sessions.ts"
import { type Announcement, announced } from "./store/settings.ts"

const withDatabase = <T>(dataDir: string, work: (database: Database, service: Announcement) => T): T => {
  const database = openDatabase(dataDir)
  try {
    const service = announced(database)
    if (service === null) throw new AfgError("confirm-store-unusable", `no confirmation service has run on ${dataDir} yet`)
    return work(database, service)
  } finally {
    database.close()
  }
}

/** The service's own time, Unix seconds: what it measures links and sessions by. */
export const serviceTime = async (dataDir: string): Promise<number> => {
  const clock = clockFor(withDatabase(dataDir, (_database, service) => service.clockRpcUrl) ?? undefined)
  await clock.refresh()
  return clock.now()
}

export type EnrolledSession = { subject: string; method: "scripted-demo"; loa: number; secret_file: string; expires_at: number }

/**
 * Makes a session for a program that plays the person (loa 0, chain 31337 only) and writes its secret to a new file of mode
 * 0600. Throws `subject-not-enrolled` or `secret-file-exists`.
 */
export const enrolScriptedDemo = (input: {
  dataDir: string
  subject: string
  secretFile: string
  now: number
  /** Seconds. */
  lifetime: number
}): EnrolledSession =>
  withDatabase(input.dataDir, (database, service) => {
    const { subject, secretFile, now, lifetime } = input
    if (!service.subjects.includes(subject)) throw new AfgError("subject-not-enrolled", `${subject} is not in the service's buyers file`)
    return database.transaction(() => {
      const secret = enrolScriptedSession(database, { subject, now, lifetime })
      try {
        // Inside the transaction: without its file nobody could use the session.
        writeFileSync(secretFile, `${secret}\n`, { flag: "wx", mode: 0o600 })
      } catch (cause) {
        throw new AfgError("secret-file-exists", `cannot make ${secretFile}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      }
      return { subject, method: "scripted-demo", loa: METHODS["scripted-demo"].loa, secret_file: secretFile, expires_at: now + lifetime }
    })
  })

export type MadeLink = { url: string; request_id: string; subject: string; expires_at: number }

/** The only undecided request, when none is named. */
const targetOf = (database: Database, requestId: string | undefined, now: number) => {
  const open = (requestId === undefined ? undecidedRequests(database, now) : [findRequest(database, requestId)]).filter(
    (request) => request !== undefined && stateOf(database, request, now).kind === "pending",
  )
  const [target] = open
  if (target === undefined || open.length > 1) {
    throw new AfgError("link-target-unclear", `${open.length === 0 ? "no request waits" : `${open.length} requests wait`} for a decision`)
  }
  return target
}

/** A one-time URL that opens a session (loa 1, chain 31337 only) for a pending request. Throws `link-target-unclear`. */
export const makeLink = (input: { dataDir: string; requestId?: string | undefined; now: number }): MadeLink =>
  withDatabase(input.dataDir, (database, { publicUrl }) => {
    const { requestId, subject } = targetOf(database, input.requestId, input.now)
    const secret = createLink(database, requestId, input.now)
    return { url: `${publicUrl}/link/${secret}`, request_id: requestId, subject, expires_at: input.now + LINK_SECONDS }
  })

export type PublishedKeys = { issuer: string; url: string; jwks: { keys: Record<string, unknown>[] } }

/** The public keys as the service publishes them. Throws `confirm-key-unusable`. */
export const publishedKeys = (dataDir: string): PublishedKeys =>
  withDatabase(dataDir, (_database, { publicUrl, issuer, chains }) => ({
    issuer,
    url: publicUrl,
    jwks: publicJwks({ key: readServiceKey(keyFileIn(dataDir)), chains }, issuer),
  }))
