// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {AFGResolver} from "../AFGResolver.sol";
import {IAFGResolver} from "../interfaces/IAFGResolver.sol";
import {IERC8183} from "../interfaces/IERC8183.sol";
import {IERC8183Escrow} from "../interfaces/IERC8183Escrow.sol";
import {Terms, TimeTerms} from "../Terms.sol";
import {Outcome, RailField, RailState} from "../Vocabulary.sol";

/// @title ERC8183Resolver: the evaluator of jobs on our ERC-8183 escrow
/// @notice See {IAFGResolver}. A reference is the job id. RELEASE is `complete`, REFUND is `reject`, the Merkle root is the reason of both.
contract ERC8183Resolver is AFGResolver {
    /// @inheritdoc IAFGResolver
    address public immutable escrow;
    address private immutable _token;

    constructor(address escrow_) {
        escrow = escrow_;
        _token = IERC8183Escrow(escrow_).token();
    }

    /// @inheritdoc IAFGResolver
    function settle(bytes32 ref, TimeTerms calldata terms, Record calldata record) external {
        Outcome outcome = _settle(ref, terms, record);
        if (outcome == Outcome.NONE) return;
        if (outcome == Outcome.RELEASE) IERC8183(escrow).complete(uint256(ref), record.merkleRoot, "");
        else IERC8183(escrow).reject(uint256(ref), record.merkleRoot, "");
        _requireEnded(ref, outcome);
    }

    /// @inheritdoc IAFGResolver
    function refundUnbound(bytes32 ref) external {
        _refundUnbound(ref);
        IERC8183(escrow).reject(uint256(ref), 0, "");
        _requireEnded(ref, Outcome.REFUND);
    }

    function _refOf(Terms calldata terms) internal pure override returns (bytes32) {
        return terms.ref;
    }

    function _requireUnfundedAsAgreed(bytes32 ref, Terms calldata terms) internal view override {
        IERC8183Escrow.Job memory job = IERC8183Escrow(escrow).getJob(uint256(ref));
        _require(job.status == IERC8183.JobStatus.Open, ref, RailField.STATUS);
        _requireAsAgreed(ref, terms, job);
    }

    function _requireReleasableAsAgreed(
        bytes32 ref,
        Terms calldata terms,
        bytes32 deliverableHash
    ) internal view override {
        IERC8183Escrow.Job memory job = IERC8183Escrow(escrow).getJob(uint256(ref));
        _require(job.status == IERC8183.JobStatus.Submitted, ref, RailField.STATUS);
        _requireAsAgreed(ref, terms, job);
        _require(job.deliverable == deliverableHash, ref, RailField.DELIVERABLE);
    }

    function _railState(bytes32 ref) internal view override returns (RailState) {
        // Open, Funded, Submitted, Completed and Rejected are our five words in our order; Expired is a refund too.
        uint256 status = uint256(IERC8183Escrow(escrow).statusOf(uint256(ref)));
        uint256 last = uint256(type(RailState).max);
        return RailState(status < last ? status : last);
    }

    function _requireAsAgreed(bytes32 ref, Terms calldata terms, IERC8183Escrow.Job memory job) private view {
        _require(terms.money.token == _token, ref, RailField.TOKEN);
        _require(job.client == terms.roles.buyer, ref, RailField.CLIENT);
        _require(job.provider == terms.roles.provider, ref, RailField.PROVIDER);
        _require(job.evaluator == address(this), ref, RailField.EVALUATOR);
        _require(job.budget == terms.money.price, ref, RailField.BUDGET);
        _require(job.expiredAt == terms.clock.expiry, ref, RailField.EXPIRY);
        _require(job.hook == address(0), ref, RailField.HOOK);
    }

    function _require(bool holds, bytes32 ref, RailField field) private pure {
        if (!holds) revert RailMismatch(ref, field);
    }
}
