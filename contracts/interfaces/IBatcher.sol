// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title Several calls in one transaction, all or nothing
/// @notice Holds no funds, approvals or role; what it calls must not trust its callers. Nothing of ours reads `msg.sender` to decide.
interface IBatcher {
    struct Call {
        address target;
        bytes data;
    }

    /// @notice Call `index` failed; `reason` is what it reverted with.
    error CallFailed(uint256 index, bytes reason);

    /// @notice A call went to an address without code, where it would have succeeded without doing anything.
    error NoCode(uint256 index, address target);

    /// @notice Makes the calls in order and returns what each returned.
    function batch(Call[] calldata calls) external returns (bytes[] memory results);
}
