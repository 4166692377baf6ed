// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IAFGResolver} from "../../../contracts/interfaces/IAFGResolver.sol";
import {Messages} from "../../../contracts/Messages.sol";
import {ActTerms, CLOCK_TYPEHASH, Clock, MONEY_TYPEHASH, Money, ROLES_TYPEHASH, Roles, Terms, TermsHash, TimeTerms} from "../../../contracts/Terms.sol";

/// @title The hashes of everything that is signed, from outside, so that they can be compared with another implementation
contract MessagesHarness {
    /// @notice The same Terms hashed whole and from the parts that later calls carry.
    function hashes(
        Terms calldata terms,
        ActTerms calldata actTerms,
        TimeTerms calldata timeTerms
    ) external pure returns (bytes32 whole, bytes32 act, bytes32 time) {
        return (TermsHash.hash(terms), TermsHash.hash(actTerms), TermsHash.hash(timeTerms));
    }

    /// @notice The groups as the compiler's own encoder hashes them.
    function encoded(
        Roles calldata roles,
        Money calldata money,
        Clock calldata clock
    ) external pure returns (bytes32, bytes32, bytes32) {
        return (
            keccak256(abi.encode(ROLES_TYPEHASH, roles)),
            keccak256(abi.encode(MONEY_TYPEHASH, money)),
            keccak256(abi.encode(CLOCK_TYPEHASH, clock))
        );
    }

    /// @notice The groups as the resolver hashes them.
    function groups(
        Roles calldata roles,
        Money calldata money,
        Clock calldata clock
    ) external pure returns (bytes32, bytes32, bytes32) {
        return (TermsHash.hash(roles), TermsHash.hash(money), TermsHash.hash(clock));
    }

    function confirmation(
        bytes32 termsHash,
        IAFGResolver.Confirmation calldata message
    ) external pure returns (bytes32) {
        return Messages.confirmation(termsHash, message);
    }

    function submission(
        bytes32 termsHash,
        uint8 n,
        bytes32 deliverableHash,
        bytes32 uriHash
    ) external pure returns (bytes32) {
        return Messages.submission(termsHash, n, deliverableHash, uriHash);
    }

    function verdict(
        bytes32 termsHash,
        uint8 n,
        bytes32 deliverableHash,
        uint8 finding,
        bytes32 merkleRoot
    ) external pure returns (bytes32) {
        return Messages.verdict(termsHash, n, deliverableHash, finding, merkleRoot);
    }

    function concession(
        bytes32 termsHash,
        uint8 n,
        bytes32 merkleRoot,
        bytes32 rulingDigest
    ) external pure returns (bytes32) {
        return Messages.concession(termsHash, n, merkleRoot, rulingDigest);
    }
}
