// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IAFGResolver} from "../../../contracts/interfaces/IAFGResolver.sol";
import {LifecycleHarness} from "../../../contracts/test-doubles/LifecycleHarness.sol";
import {Clock} from "../../../contracts/Terms.sol";
import {Cause, Outcome, Party, Verdict} from "../../../contracts/Vocabulary.sol";
import {bounded} from "./Vm.sol";

/// @notice What must hold of every clock that `bind` takes and every history that can happen on it.
contract LifecycleTest {
    LifecycleHarness private _lifecycle;

    /// @dev Raw randomness that `_history` turns into facts that some sequence of acts leads to.
    struct Seeds {
        uint32[9] clock;
        uint32[8] steps;
        uint8 path;
    }

    function setUp() public {
        _lifecycle = new LifecycleHarness();
    }

    /// @notice Time alone brings every funded job to a final decision before expiry.
    function testFuzz_everyHistoryIsDecidedBeforeExpiry(Seeds calldata seeds) public view {
        (Clock memory clock, IAFGResolver.Facts memory facts) = _history(seeds);
        IAFGResolver.Standing memory s = _lifecycle.standing(clock, facts, true, clock.expiry - 3_600);
        require(s.decision != Outcome.NONE && s.outcome == s.decision, "undecided");
    }

    /// @notice At and after expiry a refund is what settling executes, whatever was decided.
    function testFuzz_refundFromExpiryOn(Seeds calldata seeds, uint32 later) public view {
        (Clock memory clock, IAFGResolver.Facts memory facts) = _history(seeds);
        IAFGResolver.Standing memory s = _lifecycle.standing(clock, facts, true, uint256(clock.expiry) + later);
        require(s.outcome == Outcome.REFUND, "not a refund");
        require((s.cause == Cause.EXPIRY) == (s.decision != Outcome.REFUND), "cause");
        require(!_lifecycle.maySubmit(clock, facts, uint256(clock.expiry) + later), "submit");
        require(!_lifecycle.mayConcede(clock, facts, Party.BUYER, uint256(clock.expiry) + later), "concede");
    }

    /// @notice A decision, once there, never changes by time, and neither does the state.
    function testFuzz_decisionsAreFinal(Seeds calldata seeds, uint32 first, uint32 second) public view {
        (Clock memory clock, IAFGResolver.Facts memory facts) = _history(seeds);
        uint256 from = _latest(facts);
        uint256 one = bounded(first, from, clock.expiry - 1);
        uint256 two = bounded(second, one, clock.expiry - 1);
        IAFGResolver.Standing memory a = _lifecycle.standing(clock, facts, true, one);
        IAFGResolver.Standing memory b = _lifecycle.standing(clock, facts, true, two);
        if (a.decision == Outcome.NONE) return;
        require(a.decision == b.decision && a.cause == b.cause && a.state == b.state, "changed");
    }

    /// @notice Nothing can be done once a decision is there.
    function testFuzz_noActAfterADecision(Seeds calldata seeds, uint32 moment) public view {
        (Clock memory clock, IAFGResolver.Facts memory facts) = _history(seeds);
        uint256 time = bounded(moment, _latest(facts), clock.expiry - 1);
        if (_lifecycle.standing(clock, facts, true, time).decision == Outcome.NONE) return;
        require(!_lifecycle.maySubmit(clock, facts, time), "submit");
        require(!_lifecycle.mayGiveVerdict(clock, facts, true, time), "primary");
        require(!_lifecycle.mayGiveVerdict(clock, facts, false, time), "fallback");
        require(!_lifecycle.mayConcede(clock, facts, Party.BUYER, time), "buyer");
        require(!_lifecycle.mayConcede(clock, facts, Party.PROVIDER, time), "provider");
    }

    /// @notice A release always has a submission behind it.
    function testFuzz_noReleaseWithoutASubmission(Seeds calldata seeds, uint32 moment) public view {
        (Clock memory clock, IAFGResolver.Facts memory facts) = _history(seeds);
        IAFGResolver.Standing memory s = _lifecycle.standing(clock, facts, true, moment);
        require(s.outcome != Outcome.RELEASE || facts.n > 0, "nothing was delivered");
    }

    /// @dev A clock as `bind` demands it, and facts that acts at lawful times produce on it.
    function _history(
        Seeds calldata seeds
    ) private view returns (Clock memory clock, IAFGResolver.Facts memory facts) {
        clock = _clock(seeds);
        uint256 path = seeds.path;
        if (path % 8 == 0) return (clock, facts);

        facts.n = uint8(bounded(path, 1, clock.maxSubmissions));
        facts.submittedAt = _time(bounded(seeds.steps[0], clock.fundBy, clock.deliveryBy));
        facts.verdict = Verdict((path >> 1) % 4);
        facts.primarySpoke = path % 3 != 0;
        uint256 since = uint256(facts.submittedAt) + clock.verification;
        if (facts.verdict != Verdict.NONE) {
            facts.verdictAt = _time(bounded(seeds.steps[1], facts.submittedAt, since));
            since = facts.verdictAt;
        }

        if (path % 8 >= 3 && (facts.verdict == Verdict.PASS || facts.verdict == Verdict.FAIL)) {
            uint256 window = facts.verdict == Verdict.PASS ? clock.buyerReview : clock.providerDispute;
            facts.disputedAt = _time(bounded(seeds.steps[2], since, since + window));
            since = facts.disputedAt;
        }
        bool disputed = facts.disputedAt != 0 || facts.verdict == Verdict.INCONCLUSIVE || facts.verdict == Verdict.NONE;
        if (disputed && path % 8 >= 4) {
            uint256 ruledAt = since + clock.mediatorRuling;
            if (path % 2 == 0) {
                // A ruling on a missed window comes after the window.
                facts.ruledAt = _time(bounded(seeds.steps[3], since + 1, ruledAt > since ? ruledAt : since + 1));
                facts.ruling = Outcome(1 + ((path >> 3) % 2));
                ruledAt = facts.ruledAt;
            }
            if (path % 8 >= 6 && clock.appealFiling > 1) {
                facts.appealedAt = _time(bounded(seeds.steps[4], ruledAt + 1, ruledAt + clock.appealFiling));
                facts.panelSize = uint8(3 + 2 * (seeds.steps[5] % 4));
                facts.votesAgainst = uint8(bounded(seeds.steps[6], 0, facts.panelSize));
            }
        }
        if (path >= 200) {
            uint256 time = bounded(seeds.steps[7], _latest(facts), clock.expiry - 1);
            if (_lifecycle.mayConcede(clock, facts, Party.PROVIDER, time)) {
                facts.concededBy = Party(1 + (path % 2));
                facts.concededAt = _time(time);
            }
        }
    }

    function _clock(Seeds calldata seeds) private pure returns (Clock memory clock) {
        clock.fundBy = _time(bounded(seeds.clock[0], 1, 1_000_000));
        clock.deliveryBy = clock.fundBy + 1 + _time(bounded(seeds.clock[1], 0, 1_000_000));
        clock.verification = uint32(bounded(seeds.clock[2], 0, 100_000));
        clock.buyerReview = uint32(bounded(seeds.clock[3], 0, 100_000));
        clock.providerDispute = uint32(bounded(seeds.clock[4], 0, 100_000));
        clock.mediatorRuling = uint32(bounded(seeds.clock[5], 1, 100_000));
        clock.appealFiling = uint32(bounded(seeds.clock[6], 0, 100_000));
        clock.panelRuling = uint32(bounded(seeds.clock[7], 0, 100_000));
        clock.maxSubmissions = uint8(bounded(seeds.clock[8], 1, 255));
        uint32 longer = clock.buyerReview > clock.providerDispute ? clock.buyerReview : clock.providerDispute;
        clock.expiry =
            clock.deliveryBy +
            clock.verification +
            longer +
            clock.mediatorRuling +
            clock.appealFiling +
            clock.panelRuling +
            3_601;
    }

    function _latest(IAFGResolver.Facts memory facts) private pure returns (uint256 latest) {
        uint40[6] memory times = [
            facts.submittedAt,
            facts.verdictAt,
            facts.disputedAt,
            facts.ruledAt,
            facts.appealedAt,
            facts.concededAt
        ];
        for (uint256 i = 0; i < times.length; ++i) if (times[i] > latest) latest = times[i];
    }

    function _time(uint256 value) private pure returns (uint40) {
        return uint40(value);
    }
}
