/** Rules about deadlines and windows (AFG §5, §9). */
import type { Contract } from "../../schema/contract.ts"
import { toUnix } from "../../times.ts"
import { isRollup, LOCAL_CHAIN } from "../options.ts"
import { type Problem, type Rule, rule } from "../rule.ts"

const HOUR = 3_600
const DAY = 86_400
/** Less than this between the last window and the expiry is never enough to settle. */
const LEAST_MARGIN = HOUR
const LEAST_ON_ROLLUP = 43_200

type WindowName = keyof Contract["windows"]

const LEAST: Readonly<Record<WindowName, number>> = {
  verification_s: 60,
  buyer_review_s: 600,
  provider_dispute_s: 600,
  mediator_ruling_s: 600,
  appeal_filing_s: 600,
  panel_ruling_s: 1_200,
}

const names = Object.keys(LEAST) as WindowName[]
const ON_ROLLUPS: readonly WindowName[] = ["buyer_review_s", "provider_dispute_s", "appeal_filing_s"]

/** When the last window of a submission at `delivery_by` has passed. Windows do not add up over resubmissions. */
export const lastWindowEnds = ({ deadline, windows }: Pick<Contract, "deadline" | "windows">): number =>
  toUnix(deadline.delivery_by) +
  windows.verification_s +
  Math.max(windows.buyer_review_s, windows.provider_dispute_s) +
  windows.mediator_ruling_s +
  windows.appeal_filing_s +
  windows.panel_ruling_s

const isTooShort = (name: WindowName, seconds: number, chainId: number): boolean => chainId !== LOCAL_CHAIN && seconds < LEAST[name]

/** Seconds that the checks may take, with the flake reruns that are not themselves too many. */
export const checksTimeOut = ({ acceptance }: Pick<Contract, "acceptance">): number => {
  let seconds = 0
  for (const check of acceptance.checks) {
    if (check.type === "test_suite_pass") seconds += check.timeout_s * (1 + Math.min(check.flake_reruns ?? 0, MANY_RERUNS))
    else if (check.type === "script_check" || check.type === "sample_audit") seconds += check.timeout_s ?? DEFAULT_TIMEOUT_S
  }
  return seconds
}

/** More flake reruns than this are warned of (AFG §10). */
export const MANY_RERUNS = 2
/** A script's time-out where the contract names none. */
export const DEFAULT_TIMEOUT_S = 300

export const TIME_RULES: readonly Rule[] = [
  rule(
    {
      code: "deadline-order",
      severity: "reject",
      what: "Deadlines are not in order: created_at < fund_by ≤ created_at + 24 h, fund_by < delivery_by; with --now, fund_by has passed.",
      fix: "Move the deadline at `path`.",
    },
    ["created_at", "escrow", "deadline"],
    function* ({ created_at, escrow, deadline }, { now }): Iterable<Problem> {
      const [created, fundBy, deliveryBy] = [toUnix(created_at), toUnix(escrow.fund_by), toUnix(deadline.delivery_by)]
      const path = ["escrow", "fund_by"]
      if (fundBy <= created) yield { path, message: "fund_by is not after created_at" }
      else if (fundBy > created + DAY) yield { path, message: "fund_by is more than 24 h after created_at" }
      else if (fundBy >= deliveryBy) yield { path: ["deadline", "delivery_by"], message: "delivery_by is not after fund_by" }
      else if (now !== undefined && now > fundBy) yield { path, message: "fund_by has passed: the job can no longer be funded" }
    },
  ),
  rule(
    {
      code: "expiry-too-short",
      severity: "reject",
      what: "The escrow expires before every window can run out and someone can settle (AFG §10).",
      fix: "Move `escrow.expiry` behind delivery_by + all windows + the margin.",
    },
    ["escrow", "deadline", "windows", "price"],
    function* (contract, { margin }) {
      const least = Math.min(LEAST_MARGIN, margin ?? LEAST_MARGIN)
      const left = toUnix(contract.escrow.expiry) - lastWindowEnds(contract)
      if (left < least)
        yield { path: ["escrow", "expiry"], message: `${least - left} s too early: the windows end ${-left} s after it, plus ${least} s` }
    },
  ),
  rule(
    {
      code: "expiry-margin-low",
      severity: "warn",
      what: "Little time is left between the last window and the expiry: a congested chain could turn a release into a refund.",
      fix: "Leave a day (86,400 s) between the end of the windows and `escrow.expiry`.",
    },
    ["escrow", "deadline", "windows", "price"],
    function* (contract, { margin }) {
      const wanted = margin ?? (contract.price.chain_id === LOCAL_CHAIN ? LEAST_MARGIN : DAY)
      const left = toUnix(contract.escrow.expiry) - lastWindowEnds(contract)
      if (left >= Math.min(LEAST_MARGIN, wanted) && left < wanted)
        yield { path: ["escrow", "expiry"], message: `${left} s are left after the last window, ${wanted} s are wanted` }
    },
  ),
  rule(
    {
      code: "window-too-short",
      severity: "reject",
      what: "A window is too short to act in: verification 60 s, panel 1,200 s, the others 600 s (shorter only on chain 31337).",
      fix: "Lengthen the window at `path`.",
    },
    ["windows", "price"],
    function* ({ windows, price }) {
      for (const name of names)
        if (isTooShort(name, windows[name], price.chain_id))
          yield { path: ["windows", name], message: `${windows[name]} s, at least ${LEAST[name]} s are needed` }
    },
  ),
  rule(
    {
      code: "window-short-on-l2",
      severity: "warn",
      what: "On a rollup a sequencer can hold a transaction back for hours: review, dispute and appeal windows under 43,200 s can be missed.",
      fix: "Give these windows 12 hours or more.",
    },
    ["windows", "price"],
    function* ({ windows, price }) {
      if (!isRollup(price.chain_id)) return
      for (const name of ON_ROLLUPS)
        if (windows[name] < LEAST_ON_ROLLUP && !isTooShort(name, windows[name], price.chain_id))
          yield { path: ["windows", name], message: `${windows[name]} s on chain ${price.chain_id}` }
    },
  ),
  rule(
    {
      code: "verification-tight",
      severity: "warn",
      what: "The fallback verifier has half the verification window; the checks may take longer than that.",
      fix: "Lengthen `windows.verification_s`, or shorten the checks' time-outs.",
    },
    ["windows", "acceptance", "price"],
    function* (contract) {
      const window = contract.windows.verification_s
      if (isTooShort("verification_s", window, contract.price.chain_id)) return
      const needed = checksTimeOut(contract)
      if (window / 2 < needed)
        yield { path: ["windows", "verification_s"], message: `half of ${window} s is less than the ${needed} s that the checks may take` }
    },
  ),
]
