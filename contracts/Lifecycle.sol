// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {PackedFacts} from "./Facts.sol";
import {Clock} from "./Terms.sol";
import {Cause, Outcome, Party, State, Verdict} from "./Vocabulary.sol";

/// @title The lifecycle of a bound job (AFG §4, §9): pure functions of the agreed clock, the stored facts and the time
/// @notice Nothing else decides. An act at `t <= deadline` counts, a default holds strictly after, every act needs `t < expiry`. A window that opens by
/// time opens at the earlier deadline, not when someone noticed. Written by hand beside `orchestrator/state-machine/`; the two are tested
/// against each other.
library Lifecycle {
    /// @notice State and decision at time `time`.
    /// @param funded The rail holds money for the job now
    /// @return state Where the job is. It stays between decision and settlement
    /// @return decision Final once not NONE
    /// @return outcome What settling would execute at `time`, or did
    /// @return cause Of `outcome`
    function standing(
        Clock calldata clock,
        PackedFacts facts,
        bool funded,
        uint256 time
    ) internal pure returns (State state, Outcome decision, Outcome outcome, Cause cause) {
        if (facts.lapsed()) {
            return
                funded
                    ? (State.LAPSED, Outcome.NONE, Outcome.REFUND, Cause.UNBOUND)
                    : (State.LAPSED, Outcome.NONE, Outcome.NONE, Cause.NOT_FUNDED);
        }

        Party concededBy = facts.concededBy();
        outcome = facts.settled();
        if (!funded && facts.n() == 0 && concededBy == Party.NONE && outcome == Outcome.NONE) {
            return
                time > clock.fundBy
                    ? (State.LAPSED, Outcome.NONE, Outcome.NONE, Cause.NOT_FUNDED)
                    : (State.AGREED, Outcome.NONE, Outcome.NONE, Cause.NONE);
        }

        if (concededBy == Party.NONE) {
            (state, decision, cause) = _atRest(clock, facts, time);
        } else {
            (state, , ) = _atRest(clock, facts, facts.concededAt());
            (decision, cause) = (concededBy == Party.BUYER ? Outcome.RELEASE : Outcome.REFUND, Cause.CONCEDED);
        }

        if (outcome != Outcome.NONE) {
            state = outcome == Outcome.RELEASE ? State.RELEASED : State.REFUNDED;
            cause = facts.settledCause();
        } else if (time < clock.expiry) {
            outcome = decision;
        } else {
            outcome = Outcome.REFUND;
            if (decision != Outcome.REFUND) cause = Cause.EXPIRY;
        }
    }

    /// @notice Whether submission `n + 1` counts at `time`: the first, or a new one after FAIL, INCONCLUSIVE or a missed verification window, while no
    /// ruling exists and no party has filed a dispute.
    function maySubmit(Clock calldata clock, PackedFacts facts, uint256 time) internal pure returns (bool) {
        uint256 n = facts.n();
        if (_isClosed(clock, facts, time) || time > clock.deliveryBy || n >= clock.maxSubmissions) return false;
        if (n == 0) return true;
        if (facts.disputedAt() != 0 || facts.ruling() != Outcome.NONE) return false;
        Verdict verdict = facts.verdict();
        if (verdict == Verdict.PASS) return false;
        if (verdict == Verdict.FAIL) return true;
        uint256 since = _inconclusiveSince(clock, facts, time);
        return since != 0 && time <= since + clock.mediatorRuling;
    }

    /// @notice Whether a verdict on the current submission counts at `time`. The primary has the whole window and one verdict; the fallback's turn comes
    /// with the primary's INCONCLUSIVE, or with the second half of the window.
    function mayGiveVerdict(
        Clock calldata clock,
        PackedFacts facts,
        bool primary,
        uint256 time
    ) internal pure returns (bool) {
        uint256 submittedAt = facts.submittedAt();
        uint256 window = clock.verification;
        if (_isClosed(clock, facts, time) || facts.n() == 0) return false;
        if (facts.verdict() != Verdict.NONE || time > submittedAt + window) return false;
        if (primary) return !facts.primarySpoke();
        return facts.primarySpoke() || time > submittedAt + window / 2;
    }

    /// @notice Whether `party` can give in at `time`: until an appeal is filed, while nothing is decided; the buyer needs something to accept.
    /// The caller has seen that the job is funded.
    function mayConcede(
        Clock calldata clock,
        PackedFacts facts,
        Party party,
        uint256 time
    ) internal pure returns (bool) {
        if (_isClosed(clock, facts, time) || facts.appealedAt() != 0) return false;
        if (party == Party.BUYER && facts.n() == 0) return false;
        (, Outcome decision, ) = _atRest(clock, facts, time);
        return decision == Outcome.NONE;
    }

    /// @dev No act counts any more.
    function _isClosed(Clock calldata clock, PackedFacts facts, uint256 time) private pure returns (bool) {
        return
            time >= clock.expiry ||
            facts.lapsed() ||
            facts.settled() != Outcome.NONE ||
            facts.concededBy() != Party.NONE;
    }

    /// @dev A funded job without regard to concession, settlement and expiry.
    function _atRest(
        Clock calldata clock,
        PackedFacts facts,
        uint256 time
    ) private pure returns (State, Outcome, Cause) {
        if (facts.n() == 0) {
            return
                time > clock.deliveryBy
                    ? (State.FUNDED, Outcome.REFUND, Cause.NO_SUBMISSION)
                    : (State.FUNDED, Outcome.NONE, Cause.NONE);
        }

        uint256 disputedAt = facts.disputedAt();
        if (disputedAt == 0) disputedAt = _inconclusiveSince(clock, facts, time);
        if (disputedAt != 0) return _disputed(clock, facts, disputedAt, time);

        Verdict verdict = facts.verdict();
        if (verdict == Verdict.PASS) {
            return
                time > facts.verdictAt() + clock.buyerReview
                    ? (State.VERIFIED_PASS, Outcome.RELEASE, Cause.REVIEW_ELAPSED)
                    : (State.VERIFIED_PASS, Outcome.NONE, Cause.NONE);
        }
        if (verdict == Verdict.FAIL) {
            uint256 deadline = facts.verdictAt() + clock.providerDispute;
            if (facts.n() < clock.maxSubmissions && deadline < clock.deliveryBy) deadline = clock.deliveryBy;
            return
                time > deadline
                    ? (State.VERIFIED_FAIL, Outcome.REFUND, Cause.FAIL_FINAL)
                    : (State.VERIFIED_FAIL, Outcome.NONE, Cause.NONE);
        }
        return (State.SUBMITTED, Outcome.NONE, Cause.NONE);
    }

    /// @dev DISPUTED since `disputedAt`, and what follows: a ruling, signed or by default; its appeal; the panel.
    function _disputed(
        Clock calldata clock,
        PackedFacts facts,
        uint256 disputedAt,
        uint256 time
    ) private pure returns (State, Outcome, Cause) {
        Outcome ruling = facts.ruling();
        uint256 ruledAt = facts.ruledAt();
        Cause cause = Cause.RULING;
        if (ruling == Outcome.NONE) {
            ruledAt = disputedAt + clock.mediatorRuling;
            if (time <= ruledAt) return (State.DISPUTED, Outcome.NONE, Cause.NONE);
            ruling = facts.verdict() == Verdict.PASS ? Outcome.RELEASE : Outcome.REFUND;
            cause = Cause.DEFAULT_RULING;
        }

        uint256 appealedAt = facts.appealedAt();
        if (appealedAt != 0) {
            if (time <= appealedAt + clock.panelRuling) return (State.APPEALED, Outcome.NONE, Cause.NONE);
            bool overturned = 2 * facts.votesAgainst() > facts.panelSize();
            return (State.APPEALED, overturned ? _opposite(ruling) : ruling, Cause.PANEL);
        }
        return
            time > ruledAt + clock.appealFiling
                ? (State.RULED, ruling, cause)
                : (State.RULED, Outcome.NONE, Cause.NONE);
    }

    /// @dev When the current submission became INCONCLUSIVE: by the fallback's verdict, or by the end of the window without PASS or FAIL. 0 if not.
    function _inconclusiveSince(Clock calldata clock, PackedFacts facts, uint256 time) private pure returns (uint256) {
        Verdict verdict = facts.verdict();
        if (verdict == Verdict.INCONCLUSIVE) return facts.verdictAt();
        if (verdict != Verdict.NONE) return 0;
        uint256 windowEnd = facts.submittedAt() + clock.verification;
        return time > windowEnd ? windowEnd : 0;
    }

    function _opposite(Outcome outcome) private pure returns (Outcome) {
        return outcome == Outcome.RELEASE ? Outcome.REFUND : Outcome.RELEASE;
    }
}
