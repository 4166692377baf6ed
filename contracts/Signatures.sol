// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Who signed
/// @dev OpenZeppelin's `SignatureChecker` looks at the code of an address first, so a signature by the key of an account is void once that account
/// gets code (EIP-7702). Here the key is tried first whatever the code: what was signed stays signed.
library Signatures {
    /// @notice True when the key of `signer` signed `digest`, or the contract at `signer` says so (ERC-1271).
    function isValidNow(address signer, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        if (recover(digest, signature) == signer) return signer != address(0);
        return signer.code.length != 0 && SignatureChecker.isValidERC1271SignatureNowCalldata(signer, digest, signature);
    }

    /// @notice As {isValidNow} for an ERC-7913 signer: 20 bytes of an account, or verifier contract and key.
    function isValidNow(bytes calldata signer, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        if (signer.length == 20) return isValidNow(address(bytes20(signer)), digest, signature);
        return SignatureChecker.isValidSignatureNow(signer, digest, signature);
    }

    /// @notice The key that signed: 65 bytes, low s. Zero when there is none.
    function recover(bytes32 digest, bytes calldata signature) internal pure returns (address signer) {
        (signer, , ) = ECDSA.tryRecoverCalldata(digest, signature);
    }
}
