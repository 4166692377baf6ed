/** What a confirmation page is about, as data. Made by `intake/` from the contract, shown by `pages/`. */
import type { RenderingRow } from "../aacp/index.ts"

export type PageView = {
  /** Such as `40.00 USDC`. */
  readonly amount: string
  readonly jobId: string
  /** The buyer's wallet, which pays. */
  readonly payer: string
  /** The agent that asks, by its id in the contract. */
  readonly agent: string
  /** Whether the buyer's wallet has signed this very contract: only then is the agent known to ask. */
  readonly signedByPayer: boolean
  /** Origin of the API at which the agent would act. */
  readonly origin: string
  /** RFC 3339: when the escrow ends and an unsettled job's money can go back. */
  readonly escrowExpiry: string
  readonly feeBps: number
  readonly chainId: number
  /** Exactly what the rendering digest is over, in the order shown. */
  readonly rows: readonly RenderingRow[]
}
