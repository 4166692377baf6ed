// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IAFGResolver} from "./interfaces/IAFGResolver.sol";
import {Cause, Outcome, Party, Verdict} from "./Vocabulary.sol";

/// @notice What happened in a job, in one storage slot. `IAFGResolver.Facts` says what each member means.
///
/// bits 0–39 submittedAt · 40–79 verdictAt · 80–119 disputedAt · 120–159 ruledAt · 160–199 endedAt (of the appeal or the concession: there is
/// never both) · 200–207 n · 208–209 verdict · 210–211 ruling · 212–213 concededBy · 214–215 settled · 216 primarySpoke · 217 lapsed ·
/// 224–231 panelSize · 232–239 votesAgainst · 240–247 settledCause
/// @dev Masks on one word instead of a struct: a struct in memory costs each call about 1,400 gas.
type PackedFacts is uint256;

using FactsLib for PackedFacts global;

library FactsLib {
    uint256 private constant TIME = type(uint40).max;
    uint256 private constant VERDICT_AT = 40;
    uint256 private constant DISPUTED_AT = 80;
    uint256 private constant RULED_AT = 120;
    uint256 private constant ENDED_AT = 160;
    uint256 private constant N = 200;
    uint256 private constant VERDICT = 208;
    uint256 private constant RULING = 210;
    uint256 private constant CONCEDED_BY = 212;
    uint256 private constant SETTLED = 214;
    uint256 private constant PRIMARY_SPOKE = 216;
    uint256 private constant LAPSED = 217;
    uint256 private constant PANEL_SIZE = 224;
    uint256 private constant VOTES_AGAINST = 232;
    uint256 private constant SETTLED_CAUSE = 240;

    // ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    function submittedAt(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, 0, TIME);
    }

    function verdictAt(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, VERDICT_AT, TIME);
    }

    function disputedAt(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, DISPUTED_AT, TIME);
    }

    function ruledAt(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, RULED_AT, TIME);
    }

    /// @dev Zero when the job was conceded instead.
    function appealedAt(PackedFacts facts) internal pure returns (uint256) {
        return facts.concededBy() == Party.NONE ? _field(facts, ENDED_AT, TIME) : 0;
    }

    function concededAt(PackedFacts facts) internal pure returns (uint256) {
        return facts.concededBy() == Party.NONE ? 0 : _field(facts, ENDED_AT, TIME);
    }

    function n(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, N, 0xff);
    }

    function verdict(PackedFacts facts) internal pure returns (Verdict) {
        return Verdict(_field(facts, VERDICT, 3));
    }

    function ruling(PackedFacts facts) internal pure returns (Outcome) {
        return Outcome(_field(facts, RULING, 3));
    }

    function concededBy(PackedFacts facts) internal pure returns (Party) {
        return Party(_field(facts, CONCEDED_BY, 3));
    }

    function settled(PackedFacts facts) internal pure returns (Outcome) {
        return Outcome(_field(facts, SETTLED, 3));
    }

    function settledCause(PackedFacts facts) internal pure returns (Cause) {
        return Cause(_field(facts, SETTLED_CAUSE, 0xff));
    }

    function primarySpoke(PackedFacts facts) internal pure returns (bool) {
        return _field(facts, PRIMARY_SPOKE, 1) != 0;
    }

    function lapsed(PackedFacts facts) internal pure returns (bool) {
        return _field(facts, LAPSED, 1) != 0;
    }

    function panelSize(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, PANEL_SIZE, 0xff);
    }

    function votesAgainst(PackedFacts facts) internal pure returns (uint256) {
        return _field(facts, VOTES_AGAINST, 0xff);
    }

    /// @dev For views: the members by name.
    function unpack(PackedFacts facts) internal pure returns (IAFGResolver.Facts memory) {
        return
            IAFGResolver.Facts({
                n: uint8(facts.n()),
                submittedAt: uint40(facts.submittedAt()),
                verdict: facts.verdict(),
                verdictAt: uint40(facts.verdictAt()),
                primarySpoke: facts.primarySpoke(),
                disputedAt: uint40(facts.disputedAt()),
                ruling: facts.ruling(),
                ruledAt: uint40(facts.ruledAt()),
                appealedAt: uint40(facts.appealedAt()),
                panelSize: uint8(facts.panelSize()),
                votesAgainst: uint8(facts.votesAgainst()),
                concededBy: facts.concededBy(),
                concededAt: uint40(facts.concededAt()),
                lapsed: facts.lapsed(),
                settled: facts.settled(),
                settledCause: facts.settledCause()
            });
    }

    // ── Adding what happened ────────────────────────────────────────────────────────────────────────────────────────

    /// @dev A submission starts afresh: what was said of the earlier one is withdrawn with it.
    function submission(uint256 number, uint256 time) internal pure returns (PackedFacts) {
        return PackedFacts.wrap((number << N) | time);
    }

    function withVerdict(PackedFacts facts, Verdict value, uint256 time) internal pure returns (PackedFacts) {
        return _with(facts, (uint256(value) << VERDICT) | (time << VERDICT_AT));
    }

    function withPrimarySpoken(PackedFacts facts) internal pure returns (PackedFacts) {
        return _with(facts, 1 << PRIMARY_SPOKE);
    }

    function withConcession(PackedFacts facts, Party by, uint256 time) internal pure returns (PackedFacts) {
        return _with(facts, (uint256(by) << CONCEDED_BY) | (time << ENDED_AT));
    }

    function withLapse(PackedFacts facts) internal pure returns (PackedFacts) {
        return _with(facts, 1 << LAPSED);
    }

    function withSettlement(PackedFacts facts, Outcome outcome, Cause cause) internal pure returns (PackedFacts) {
        return _with(facts, (uint256(outcome) << SETTLED) | (uint256(cause) << SETTLED_CAUSE));
    }

    function _field(PackedFacts facts, uint256 offset, uint256 mask) private pure returns (uint256) {
        return (PackedFacts.unwrap(facts) >> offset) & mask;
    }

    /// @dev Every field is written once, from zero: there is nothing to clear.
    function _with(PackedFacts facts, uint256 bits) private pure returns (PackedFacts) {
        return PackedFacts.wrap(PackedFacts.unwrap(facts) | bits);
    }
}
