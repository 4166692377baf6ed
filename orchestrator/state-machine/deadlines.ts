/** When each named deadline of the table is. */
import type { TermsClock } from "../contract/messages.ts"
import type { UnixSeconds } from "../types.ts"
import type { DeadlineName } from "./table.ts"

/** `since`: when the present state was entered; `n`: the current submission. */
type At = (clock: TermsClock, since: UnixSeconds, n: number) => UnixSeconds

const DEADLINES: Readonly<Record<DeadlineName, At>> = {
  fund_by: (clock) => clock.fundBy,
  delivery_by: (clock) => clock.deliveryBy,
  expiry: (clock) => clock.expiry,
  fallback_turn: (clock, since) => since + Math.floor(clock.verification / 2),
  verification: (clock, since) => since + clock.verification,
  buyer_review: (clock, since) => since + clock.buyerReview,
  provider_dispute: (clock, since) => since + clock.providerDispute,
  // With an attempt left, a FAIL is not final before the date of delivery; never before it could be disputed.
  fail_final: (clock, since, n) =>
    n < clock.maxSubmissions ? Math.max(clock.deliveryBy, since + clock.providerDispute) : since + clock.providerDispute,
  mediator_ruling: (clock, since) => since + clock.mediatorRuling,
  appeal_filing: (clock, since) => since + clock.appealFiling,
  panel_commit: (clock, since) => since + Math.floor(clock.panelRuling / 2),
  panel_ruling: (clock, since) => since + clock.panelRuling,
}

/** The last second at which an act under that deadline counts. */
export const deadlineAt = (name: DeadlineName, clock: TermsClock, since: UnixSeconds, n: number): UnixSeconds =>
  DEADLINES[name](clock, since, n)
