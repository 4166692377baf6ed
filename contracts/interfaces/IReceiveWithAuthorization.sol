// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title The part of ERC-3009 that pulls a signed payment into the caller, in the `bytes` form that also takes ERC-1271 wallets
/// (USDC v2.2). Only `to` itself can call it, so the payment cannot be separated from what it is for.
interface IReceiveWithAuthorization {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}
