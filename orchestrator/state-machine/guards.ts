/** The conditions of the table, by name. Windows are not among them: rows carry their deadline. */
import type { UnixSeconds } from "../types.ts"
import { deadlineAt } from "./deadlines.ts"
import type { Facts } from "./facts.ts"
import { type Position, type Rules, rulingOf, standingAt } from "./position.ts"
import type { GuardName } from "./table.ts"
import { loserOf, type Outcome } from "./vocabulary.ts"

export type Moment = {
  rules: Rules
  facts: Facts
  /** Everyone has signed. */
  agreed: boolean
  position: Position
  now: UnixSeconds
}

const attemptsLeft = ({ rules, facts }: Moment): boolean => facts.n < rules.clock.maxSubmissions

const inSecondHalf = ({ rules, facts, now }: Moment): boolean =>
  facts.submittedAt !== null && now > deadlineAt("fallback_turn", rules.clock, facts.submittedAt, facts.n)

const inRevealPhase = ({ rules, facts, now }: Moment): boolean =>
  facts.appealedAt !== null && now > deadlineAt("panel_commit", rules.clock, facts.appealedAt, facts.n)

const due = ({ rules, facts, agreed, now }: Moment, outcome: Outcome): boolean => standingAt(rules, facts, agreed, now).outcome === outcome

export const GUARDS: Readonly<Record<GuardName, (moment: Moment) => boolean>> = {
  "all-signed": ({ agreed }) => agreed,
  "not-bound": ({ facts }) => facts.boundAt === null,
  "bound-and-not-lapsed": ({ facts }) => facts.boundAt !== null && facts.lapsedAt === null && facts.fundedAt === null,
  "unbound-or-lapsed": ({ facts }) => (facts.boundAt === null || facts.lapsedAt !== null) && facts.fundedAt === null,
  "fund-by-passed": ({ rules, facts, now }) =>
    now > rules.clock.fundBy && facts.boundAt !== null && facts.fundedAt === null && facts.lapsedAt === null,
  "attempts-left": attemptsLeft,
  "attempts-left-and-no-party-disputed": (moment) => attemptsLeft(moment) && moment.facts.disputedAt === null,
  "primary-has-not-spoken": ({ facts }) => !facts.primarySpoke,
  "fallback-has-its-turn": (moment) => moment.facts.primarySpoke || inSecondHalf(moment),
  "ruling-against-buyer": ({ facts }) => loserOf(rulingOf(facts).outcome) === "buyer",
  "ruling-against-provider": ({ facts }) => loserOf(rulingOf(facts).outcome) === "provider",
  "commit-phase": (moment) => !inRevealPhase(moment),
  "reveal-phase": inRevealPhase,
  "release-due": (moment) => due(moment, "RELEASE"),
  "refund-due": (moment) => due(moment, "REFUND"),
}
