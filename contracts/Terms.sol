// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Who may act in a job. Other ids stay off chain: keys suffice.
/// @param buyer Pays; gets the price back on REFUND
/// @param provider Delivers; gets the price on RELEASE
/// @param confirmer keccak256 of the ERC-7913 signer that speaks for the buyer's human
/// @param verifier Attestation key of the primary verifier (ECDSA)
/// @param fallbackVerifier Attestation key of the fallback verifier (ECDSA)
/// @param mediator Key of the mediator drawn before funding (ECDSA)
/// @param rosterHash keccak256(abi.encode((address wallet, bytes32 modelProvider, bytes32 operator)[])) of the panel's roster
/// @param panelSize Seats of the appeal panel: odd, at least 3
struct Roles {
    address buyer;
    address provider;
    bytes32 confirmer;
    address verifier;
    address fallbackVerifier;
    address mediator;
    bytes32 rosterHash;
    uint8 panelSize;
}

/// @notice What is at stake, in smallest units of `token`.
struct Money {
    address token;
    uint128 price;
    uint128 verifierFee;
    uint128 mediatorFee;
    uint128 mediatorBond;
    uint128 panelistBond;
    uint128 disputeDeposit;
    uint128 appealFee;
    uint16 mediationShareBps;
}

/// @notice Deadlines in Unix seconds (`fundBy`, `deliveryBy`, `expiry`), windows in seconds (all others but `maxSubmissions`).
struct Clock {
    uint40 fundBy;
    uint40 deliveryBy;
    uint40 expiry;
    uint32 verification;
    uint32 buyerReview;
    uint32 providerDispute;
    uint32 mediatorRuling;
    uint32 appealFiling;
    uint32 panelRuling;
    uint8 maxSubmissions;
}

/// @notice Everything the chain enforces about one job, as buyer, provider and mediator sign it (EIP-712).
/// @param contractHash sha256 of the canonical job contract. A field, never a key
/// @param ref The rail's reference (ERC-8183 and ACP: the job id), or the salt that it follows from (x402)
struct Terms {
    bytes32 contractHash;
    bytes32 ref;
    Roles roles;
    Money money;
    Clock clock;
}

/// @notice Terms as an act by a role needs them: who and when in full, the money by its hash.
struct ActTerms {
    bytes32 contractHash;
    bytes32 ref;
    Roles roles;
    bytes32 moneyHash;
    Clock clock;
}

/// @notice Terms as the passage of time needs them: when in full, the rest by hash.
struct TimeTerms {
    bytes32 contractHash;
    bytes32 ref;
    bytes32 rolesHash;
    bytes32 moneyHash;
    Clock clock;
}

bytes constant ROLES_TYPE = "Roles(address buyer,address provider,bytes32 confirmer,address verifier,address fallbackVerifier,address mediator,bytes32 rosterHash,uint8 panelSize)";
bytes constant MONEY_TYPE = "Money(address token,uint128 price,uint128 verifierFee,uint128 mediatorFee,uint128 mediatorBond,uint128 panelistBond,uint128 disputeDeposit,uint128 appealFee,uint16 mediationShareBps)";
bytes constant CLOCK_TYPE = "Clock(uint40 fundBy,uint40 deliveryBy,uint40 expiry,uint32 verification,uint32 buyerReview,uint32 providerDispute,uint32 mediatorRuling,uint32 appealFiling,uint32 panelRuling,uint8 maxSubmissions)";

bytes32 constant ROLES_TYPEHASH = keccak256(ROLES_TYPE);
bytes32 constant MONEY_TYPEHASH = keccak256(MONEY_TYPE);
bytes32 constant CLOCK_TYPEHASH = keccak256(CLOCK_TYPE);
bytes32 constant TERMS_TYPEHASH = keccak256(
    abi.encodePacked(
        "Terms(bytes32 contractHash,bytes32 ref,Roles roles,Money money,Clock clock)",
        CLOCK_TYPE,
        MONEY_TYPE,
        ROLES_TYPE
    )
);

// Offsets of calldata structs, and one hash over them: measured against `abi.encode` at `_hashWords`.
/* solhint-disable no-inline-assembly */

/// @title hashStruct(Terms), from the whole or from what a later call carries
library TermsHash {
    function hash(Terms calldata terms) internal pure returns (bytes32) {
        return combine(terms.contractHash, terms.ref, hash(terms.roles), hash(terms.money), hash(terms.clock));
    }

    function hash(ActTerms calldata terms) internal pure returns (bytes32) {
        return combine(terms.contractHash, terms.ref, hash(terms.roles), terms.moneyHash, hash(terms.clock));
    }

    function hash(TimeTerms calldata terms) internal pure returns (bytes32) {
        return combine(terms.contractHash, terms.ref, terms.rolesHash, terms.moneyHash, hash(terms.clock));
    }

    function hash(Roles calldata roles) internal pure returns (bytes32) {
        uint256 offset;
        assembly ("memory-safe") {
            offset := roles
        }
        return _hashWords(ROLES_TYPEHASH, offset, 8);
    }

    function hash(Money calldata money) internal pure returns (bytes32) {
        uint256 offset;
        assembly ("memory-safe") {
            offset := money
        }
        return _hashWords(MONEY_TYPEHASH, offset, 9);
    }

    function hash(Clock calldata clock) internal pure returns (bytes32) {
        uint256 offset;
        assembly ("memory-safe") {
            offset := clock
        }
        return _hashWords(CLOCK_TYPEHASH, offset, 10);
    }

    function combine(
        bytes32 contractHash,
        bytes32 ref,
        bytes32 rolesHash,
        bytes32 moneyHash,
        bytes32 clockHash
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(TERMS_TYPEHASH, contractHash, ref, rolesHash, moneyHash, clockHash));
    }

    /// @dev A group is static, so its calldata is its EIP-712 encodeData. `keccak256(abi.encode(typehash, group))` says the same but looks at every
    /// member on the way. Nothing is lost: a word with stray bits hashes to what no one signed.
    function _hashWords(bytes32 typehash, uint256 offset, uint256 words) private pure returns (bytes32 result) {
        assembly ("memory-safe") {
            let start := mload(0x40)
            mstore(start, typehash)
            calldatacopy(add(start, 0x20), offset, mul(words, 0x20))
            result := keccak256(start, mul(add(words, 1), 0x20))
        }
    }
}
