/**
 * What lies outside the orchestrator in these tests: a ledger that takes every action once, as the chain does, and keeps it in files, so that it
 * outlives the process. What it took comes back as events.
 */
import { createHash } from "node:crypto"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Action, ChainEvent, MessageEvent } from "../../../orchestrator/state-machine/index.ts"
import type { Sha256 } from "../../../orchestrator/types.ts"
import { bound, CLOCK, confirmed, funded, POSTED_AT, position, posted, signed, word } from "../../store/support/jobs.ts"

export const DELIVERABLE = createHash("sha256").update("deliverable").digest("hex") as Sha256

/** Everything that agents send in the course of a job that is paid. */
export const MESSAGES: readonly MessageEvent[] = [
  posted(),
  signed("buyer"),
  signed("provider"),
  signed("mediator"),
  confirmed(),
  {
    source: "message",
    type: "fundingAuthorized",
    at: POSTED_AT,
    salt: word("salt"),
    validAfter: 0,
    validBefore: CLOCK.fundBy,
    signature: word("authorization"),
  },
  {
    source: "message",
    type: "submissionReceived",
    at: POSTED_AT,
    n: 1,
    uri: "ipfs://deliverable",
    sha256: DELIVERABLE,
    signature: word("submission"),
    railAuthorization: null,
  },
]

export const verdictSigned: MessageEvent = {
  source: "message",
  type: "verdictSigned",
  at: POSTED_AT + 40,
  n: 1,
  by: "primary",
  verdict: "PASS",
  merkleRoot: word("root"),
  deliverableHash: `0x${DELIVERABLE}`,
  signature: word("verdict"),
  bundle: "ipfs://bundle",
}

/** Seconds after `POSTED_AT`, and block, at which the ledger takes each kind of action. */
const PLACES = { "relay-bind": 10, "relay-fund": 20, "relay-submission": 30, "relay-verdict": 50 } as const
const VERDICT_AT = POSTED_AT + PLACES["relay-verdict"]
const SETTLED_AT = VERDICT_AT + CLOCK.buyerReview + 1

export const eventOf = (kind: string): ChainEvent | null => {
  switch (kind) {
    case "relay-bind":
      return bound(PLACES["relay-bind"])
    case "relay-fund":
      return funded(PLACES["relay-fund"])
    case "relay-submission": {
      const at = PLACES["relay-submission"]
      return {
        source: "chain",
        type: "submitted",
        at: POSTED_AT + at,
        n: 1,
        deliverableHash: `0x${DELIVERABLE}`,
        uriHash: word("uri"),
        position: position(at),
      }
    }
    case "relay-verdict": {
      const at = PLACES["relay-verdict"]
      return {
        source: "chain",
        type: "verdict",
        at: VERDICT_AT,
        n: 1,
        by: "primary",
        verdict: "PASS",
        merkleRoot: word("root"),
        position: position(at),
      }
    }
    case "settle":
      return {
        source: "chain",
        type: "settled",
        at: SETTLED_AT,
        outcome: "RELEASE",
        cause: "REVIEW_ELAPSED",
        root: word("root"),
        position: position(60),
      }
    default:
      return null
  }
}

export type World = {
  /** True when it was not taken before. */
  take: (jobId: string, action: Pick<Action, "key" | "kind">) => boolean
  /** Kinds of what was taken for the job, in order. */
  taken: (jobId: string) => string[]
  /** How often each key was asked for. */
  attempts: (jobId: string) => Map<string, number>
  /** The chain's time: the review window passes as soon as there is a verdict. */
  now: (jobId: string) => number
}

export const openWorld = (directory: string): World => {
  mkdirSync(directory, { recursive: true })
  const logOf = (jobId: string) => join(directory, `${jobId}.log`)
  const taken = (jobId: string): string[] =>
    readdirSync(directory)
      .filter((name) => name.startsWith(`${jobId}@`))
      .map((name) => readFileSync(join(directory, name), "utf8"))
      .toSorted()
      .map((line) => line.split(" ")[1] ?? "")
  return {
    take: (jobId, { key, kind }) => {
      appendFileSync(logOf(jobId), `${key}\n`)
      const file = join(directory, `${jobId}@${createHash("sha256").update(key).digest("hex").slice(0, 16)}`)
      const order = String(eventOf(kind)?.position.block ?? 45).padStart(4, "0")
      try {
        writeFileSync(file, `${order} ${kind}`, { flag: "wx" })
        return true
      } catch {
        return false
      }
    },
    taken,
    attempts: (jobId) => {
      const counts = new Map<string, number>()
      for (const key of readFileSync(logOf(jobId), "utf8").split("\n").filter(Boolean)) counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts
    },
    now: (jobId) => (taken(jobId).includes("relay-verdict") ? SETTLED_AT : POSTED_AT + 45),
  }
}
