// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IBatcher} from "./interfaces/IBatcher.sol";

/// @title Batcher
/// @notice See {IBatcher}.
contract Batcher is IBatcher {
    /// @inheritdoc IBatcher
    function batch(Call[] calldata calls) external returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            address target = calls[i].target;
            if (target.code.length == 0) revert NoCode(i, target);
            // Any call to any contract is what a batcher is for; it holds nothing and nothing reads its address.
            // solhint-disable-next-line avoid-low-level-calls
            (bool ok, bytes memory result) = target.call(calls[i].data);
            if (!ok) revert CallFailed(i, result);
            results[i] = result;
        }
    }
}
