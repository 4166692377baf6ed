/** What one showing of the demonstration has: the network, the work, the agents, and how it ended. */

import type { Contract } from "../../orchestrator/contract/index.ts"
import type { CodeFixFixture } from "../fixtures/code-fix.ts"
import type { LocalNetwork } from "../local/network.ts"
import type { Balances } from "./accounts.ts"
import type { Answer } from "./confirmation.ts"
import type { Narrator, Output } from "./narrator.ts"
import type { DemoPath, Refusal } from "./summary.ts"
import type { Agent } from "./world.ts"

export type DemoOptions = {
  path: DemoPath
  redis: boolean
  /** The person is you, in your browser. */
  interactive: boolean
  /** Where the story is told. */
  output: Output
}

export type Scene = {
  network: LocalNetwork
  narrator: Narrator
  fixture: CodeFixFixture
  buyer: Agent
  provider: Agent
  mediator: Agent
  options: DemoOptions
}

export type Prepared = { contract: Contract; hash: string; before: Balances }

export type Ending = {
  prepared: Prepared
  answer: Answer | null
  outcome: string
  method: string | null
  refusals: Refusal[]
  bundle: string | null
  jobId: string
}

export const short = (hash: string): string => `${hash.slice(0, 10)}…`

export const hours = (seconds: number): string => `${Math.round(seconds / 3600)} h`
