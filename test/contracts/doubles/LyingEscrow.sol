// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC8183} from "../../../contracts/interfaces/IERC8183.sol";
import {IERC8183Escrow} from "../../../contracts/interfaces/IERC8183Escrow.sol";

/// @notice Says whatever it was told to say, ends jobs only when it likes, and can call back in the middle of it.
contract LyingEscrow {
    address public immutable token;
    IERC8183Escrow.Job private _claimed;
    IERC8183.JobStatus private _afterComplete;
    IERC8183.JobStatus private _afterReject;
    address private _target;
    bytes private _payload;
    bool public succeeded;
    bytes public result;

    constructor(address token_) {
        token = token_;
    }

    function claim(IERC8183Escrow.Job calldata job) external {
        _claimed = job;
    }

    function obey(IERC8183.JobStatus afterComplete, IERC8183.JobStatus afterReject) external {
        (_afterComplete, _afterReject) = (afterComplete, afterReject);
    }

    function arm(address target, bytes calldata payload) external {
        (_target, _payload) = (target, payload);
    }

    function complete(uint256, bytes32, bytes calldata) external {
        _callBack();
        _claimed.status = _afterComplete;
    }

    function reject(uint256, bytes32, bytes calldata) external {
        _callBack();
        _claimed.status = _afterReject;
    }

    function getJob(uint256) external view returns (IERC8183Escrow.Job memory) {
        return _claimed;
    }

    function statusOf(uint256) external view returns (IERC8183.JobStatus) {
        return _claimed.status;
    }

    function _callBack() private {
        if (_target != address(0)) (succeeded, result) = _target.call(_payload);
    }
}
