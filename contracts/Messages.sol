// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IAFGResolver} from "./interfaces/IAFGResolver.sol";

bytes32 constant CONFIRMATION_TYPEHASH = keccak256(
    "Confirmation(bytes32 termsHash,bytes32 evidenceDigest,uint40 notAfter)"
);
bytes32 constant SUBMISSION_TYPEHASH = keccak256(
    "Submission(bytes32 termsHash,uint8 n,bytes32 deliverableHash,bytes32 uriHash)"
);
bytes32 constant VERDICT_TYPEHASH = keccak256(
    "Verdict(bytes32 termsHash,uint8 n,bytes32 deliverableHash,uint8 verdict,bytes32 merkleRoot)"
);
bytes32 constant CONCESSION_TYPEHASH = keccak256(
    "Concession(bytes32 termsHash,uint8 n,bytes32 merkleRoot,bytes32 rulingDigest)"
);

/// @title hashStruct of every message that reacts to Terms
/// @dev Each names the terms and what it reacts to, so none can be carried to another job, submission or verdict.
library Messages {
    function confirmation(
        bytes32 termsHash,
        IAFGResolver.Confirmation calldata message
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(CONFIRMATION_TYPEHASH, termsHash, message));
    }

    function submission(
        bytes32 termsHash,
        uint256 n,
        bytes32 deliverableHash,
        bytes32 uriHash
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(SUBMISSION_TYPEHASH, termsHash, n, deliverableHash, uriHash));
    }

    function verdict(
        bytes32 termsHash,
        uint256 n,
        bytes32 deliverableHash,
        uint256 finding,
        bytes32 merkleRoot
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(VERDICT_TYPEHASH, termsHash, n, deliverableHash, finding, merkleRoot));
    }

    function concession(
        bytes32 termsHash,
        uint256 n,
        bytes32 merkleRoot,
        bytes32 rulingDigest
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(CONCESSION_TYPEHASH, termsHash, n, merkleRoot, rulingDigest));
    }
}
