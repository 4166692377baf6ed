/** The one JSON document that the demonstration prints: names and meanings are promised in `docs/cli.md`. */
import type { Hex } from "../../orchestrator/types.ts"
import type { Balances } from "./accounts.ts"

export type DemoPath = "happy" | "deadline" | "refuse"

/** One attempt that had to be refused, and the code it was refused with. */
export type Refusal = { attempt: string; code: string }

export type DemoSummary = {
  job: "a"
  path: DemoPath
  rail: "erc8183"
  job_id: string
  state: string
  cause: string | null
  contract_hash: string
  merkle_root: string | null
  verdict: string | null
  ruling: string | null
  balances: { before: Balances; after: Balances }
  tx: { bind: Hex | null; fund: Hex | null; submit: Hex[]; verdict: Hex[]; settle: Hex | null }
  confirmation: { outcome: string; method: string | null }
  /** Directory of the evidence bundle; null when nothing was checked. */
  bundle: string | null
  /** File with the AACP evidence (a compact JWS); `jwks` verifies it. */
  evidence: string | null
  jwks: string
  refusals: Refusal[]
  timers: "store" | "redis"
  seconds: number
}
