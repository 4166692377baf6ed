// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {PackedFacts} from "../Facts.sol";
import {IAFGResolver} from "../interfaces/IAFGResolver.sol";
import {Lifecycle} from "../Lifecycle.sol";
import {Clock} from "../Terms.sol";
import {Party} from "../Vocabulary.sol";

/// @title Lifecycle from outside, so that it can be compared with another implementation
contract LifecycleHarness {
    error NotRepresentable(IAFGResolver.Facts facts);

    function standing(
        Clock calldata clock,
        IAFGResolver.Facts calldata facts,
        bool funded,
        uint256 time
    ) external pure returns (IAFGResolver.Standing memory s) {
        (s.state, s.decision, s.outcome, s.cause) = Lifecycle.standing(clock, pack(facts), funded, time);
    }

    function maySubmit(
        Clock calldata clock,
        IAFGResolver.Facts calldata facts,
        uint256 time
    ) external pure returns (bool) {
        return Lifecycle.maySubmit(clock, pack(facts), time);
    }

    function mayGiveVerdict(
        Clock calldata clock,
        IAFGResolver.Facts calldata facts,
        bool primary,
        uint256 time
    ) external pure returns (bool) {
        return Lifecycle.mayGiveVerdict(clock, pack(facts), primary, time);
    }

    function mayConcede(
        Clock calldata clock,
        IAFGResolver.Facts calldata facts,
        Party party,
        uint256 time
    ) external pure returns (bool) {
        return Lifecycle.mayConcede(clock, pack(facts), party, time);
    }

    /// @notice The slot that the resolver stores for these facts. Throws when no history leads to them.
    function pack(IAFGResolver.Facts calldata facts) public pure returns (PackedFacts packed) {
        bool conceded = facts.concededBy != Party.NONE;
        if (conceded && facts.appealedAt != 0) revert NotRepresentable(facts);
        uint256 endedAt = conceded ? facts.concededAt : facts.appealedAt;
        uint256 word = facts.submittedAt;
        word |= uint256(facts.verdictAt) << 40;
        word |= uint256(facts.disputedAt) << 80;
        word |= uint256(facts.ruledAt) << 120;
        word |= endedAt << 160;
        word |= uint256(facts.n) << 200;
        word |= uint256(facts.verdict) << 208;
        word |= uint256(facts.ruling) << 210;
        word |= uint256(facts.concededBy) << 212;
        word |= uint256(facts.settled) << 214;
        if (facts.primarySpoke) word |= 1 << 216;
        if (facts.lapsed) word |= 1 << 217;
        word |= uint256(facts.panelSize) << 224;
        word |= uint256(facts.votesAgainst) << 232;
        word |= uint256(facts.settledCause) << 240;
        packed = PackedFacts.wrap(word);
    }

    function unpack(PackedFacts packed) external pure returns (IAFGResolver.Facts memory) {
        return packed.unpack();
    }
}
