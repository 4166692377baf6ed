// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IERC8183} from "../interfaces/IERC8183.sol";
import {IERC8183Escrow} from "../interfaces/IERC8183Escrow.sol";
import {IReceiveWithAuthorization} from "../interfaces/IReceiveWithAuthorization.sol";
import {Signatures} from "../Signatures.sol";

/// @title ERC8183Escrow
/// @notice See {IERC8183Escrow}.
contract ERC8183Escrow is IERC8183Escrow, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @dev Three slots, and one for the deliverable. Every rule of a transition needs the first two at most.
    struct StoredJob {
        address client;
        uint48 expiredAt;
        JobStatus status;
        address provider;
        uint96 budget;
        address evaluator;
        bytes32 deliverable;
    }

    bytes32 private constant CREATE_JOB_TYPEHASH =
        keccak256(
            "CreateJob(address client,address provider,address evaluator,uint256 expiredAt,uint256 budget,bytes32 salt)"
        );
    bytes32 private constant SUBMIT_JOB_TYPEHASH = keccak256("SubmitJob(uint256 jobId,bytes32 deliverable)");
    uint256 private constant MAX_BPS = 10_000;

    /// @inheritdoc IERC8183Escrow
    address public immutable token;
    /// @inheritdoc IERC8183Escrow
    uint16 public immutable feeBps;
    /// @inheritdoc IERC8183Escrow
    address public immutable treasury;

    /// @inheritdoc IERC8183Escrow
    uint256 public jobCount;
    /// @inheritdoc IERC8183Escrow
    uint256 public accruedFees;
    /// @inheritdoc IERC8183Escrow
    mapping(bytes32 digest => uint256 jobId) public jobOfAuthorization;

    mapping(uint256 jobId => StoredJob) private _jobs;
    mapping(uint256 jobId => string) private _descriptions;

    constructor(address token_, uint16 feeBps_, address treasury_) EIP712("AFG ERC8183 Escrow", "1") {
        if (token_ == address(0) || treasury_ == address(0)) revert ZeroAddress();
        if (feeBps_ >= MAX_BPS) revert FeeTooHigh(feeBps_);
        token = token_;
        feeBps = feeBps_;
        treasury = treasury_;
    }

    // ── Open ────────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IERC8183
    function createJob(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook
    ) external returns (uint256 jobId) {
        jobId = _create(msg.sender, provider, evaluator, expiredAt, hook);
        if (bytes(description).length != 0) _descriptions[jobId] = description;
    }

    /// @inheritdoc IERC8183Escrow
    function createJobWithBudget(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook,
        uint256 budget
    ) external returns (uint256 jobId) {
        jobId = _create(msg.sender, provider, evaluator, expiredAt, hook);
        if (bytes(description).length != 0) _descriptions[jobId] = description;
        _setBudget(jobId, _jobs[jobId], budget);
    }

    /// @inheritdoc IERC8183Escrow
    function createJobWithAuthorization(
        CreateJob calldata job,
        bytes calldata signature
    ) external returns (uint256 jobId) {
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(CREATE_JOB_TYPEHASH, job)));
        if (jobOfAuthorization[digest] != 0) revert AuthorizationUsed(digest);
        if (!Signatures.isValidNow(job.client, digest, signature)) revert InvalidSignature(job.client);
        jobId = _create(job.client, job.provider, job.evaluator, job.expiredAt, address(0));
        jobOfAuthorization[digest] = jobId;
        _setBudget(jobId, _jobs[jobId], job.budget);
    }

    /// @inheritdoc IERC8183
    function setProvider(uint256 jobId, address provider) external {
        _setProvider(jobId, provider);
    }

    /// @inheritdoc IERC8183
    function setProvider(uint256 jobId, address provider, bytes calldata) external {
        _setProvider(jobId, provider);
    }

    /// @inheritdoc IERC8183
    /// @dev The client alone, unlike the ERC's "client or provider".
    function setBudget(uint256 jobId, uint256 amount, bytes calldata) external {
        StoredJob storage job = _jobIn(jobId, JobStatus.Open);
        if (msg.sender != job.client) revert Unauthorized(jobId, msg.sender);
        _setBudget(jobId, job, amount);
    }

    // ── Funded ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IERC8183
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata) external nonReentrant {
        address client = _startFunding(jobId, expectedBudget);
        if (msg.sender != client) revert Unauthorized(jobId, msg.sender);
        uint256 before = _balance();
        IERC20(token).safeTransferFrom(client, address(this), expectedBudget);
        _finishFunding(jobId, client, expectedBudget, before);
    }

    /// @inheritdoc IERC8183Escrow
    function fundWithAuthorization(
        uint256 jobId,
        uint256 amount,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 salt,
        bytes calldata signature
    ) external nonReentrant {
        address client = _startFunding(jobId, amount);
        uint256 before = _balance();
        IReceiveWithAuthorization(token).receiveWithAuthorization(
            client,
            address(this),
            amount,
            validAfter,
            validBefore,
            fundingNonce(jobId, amount, salt),
            signature
        );
        _finishFunding(jobId, client, amount, before);
    }

    // ── Submitted ───────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IERC8183
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata) external nonReentrant {
        StoredJob storage job = _jobIn(jobId, JobStatus.Funded);
        if (msg.sender != job.provider) revert Unauthorized(jobId, msg.sender);
        _submit(jobId, job, deliverable);
    }

    /// @inheritdoc IERC8183Escrow
    function submitWithAuthorization(
        uint256 jobId,
        bytes32 deliverable,
        bytes calldata signature
    ) external nonReentrant {
        StoredJob storage job = _jobIn(jobId, JobStatus.Funded);
        address provider = job.provider;
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(SUBMIT_JOB_TYPEHASH, jobId, deliverable)));
        if (!Signatures.isValidNow(provider, digest, signature)) revert InvalidSignature(provider);
        _submit(jobId, job, deliverable);
    }

    // ── Completed, Rejected, Expired ────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IERC8183
    function complete(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        StoredJob storage job = _jobIn(jobId, JobStatus.Submitted);
        if (msg.sender != job.evaluator) revert Unauthorized(jobId, msg.sender);
        _beforeExpiry(jobId, job.expiredAt);
        job.status = JobStatus.Completed;

        address provider = job.provider;
        uint256 budget = job.budget;
        uint256 fee = (budget * feeBps) / MAX_BPS;
        emit JobCompleted(jobId, msg.sender, reason);
        if (fee != 0) {
            // Never pushed: a treasury that cannot receive must not keep a provider from being paid.
            accruedFees += fee;
            emit FeeAccrued(jobId, fee);
        }
        emit PaymentReleased(jobId, provider, budget - fee);
        IERC20(token).safeTransfer(provider, budget - fee);
    }

    /// @inheritdoc IERC8183
    function reject(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        StoredJob storage job = _job(jobId);
        JobStatus status = job.status;
        bool held = _isHeld(status);
        if (!held && status != JobStatus.Open) revert WrongStatus(jobId, status);
        if (msg.sender != (held ? job.evaluator : job.client)) revert Unauthorized(jobId, msg.sender);
        job.status = JobStatus.Rejected;
        emit JobRejected(jobId, msg.sender, reason);
        if (held) _refund(jobId, job);
    }

    /// @inheritdoc IERC8183
    function claimRefund(uint256 jobId) external nonReentrant {
        StoredJob storage job = _job(jobId);
        JobStatus status = job.status;
        if (!_isHeld(status)) revert WrongStatus(jobId, status);
        if (block.timestamp < job.expiredAt) revert JobNotExpired(jobId, job.expiredAt);
        job.status = JobStatus.Expired;
        emit JobExpired(jobId);
        _refund(jobId, job);
    }

    /// @inheritdoc IERC8183Escrow
    function collectFees() external nonReentrant returns (uint256 amount) {
        amount = accruedFees;
        accruedFees = 0;
        emit FeesCollected(treasury, amount);
        IERC20(token).safeTransfer(treasury, amount);
    }

    // ── Views ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IERC8183Escrow
    function getJob(uint256 jobId) external view returns (Job memory) {
        StoredJob storage job = _job(jobId);
        return
            Job({
                client: job.client,
                provider: job.provider,
                evaluator: job.evaluator,
                hook: address(0),
                budget: job.budget,
                expiredAt: job.expiredAt,
                status: job.status,
                deliverable: job.deliverable
            });
    }

    /// @inheritdoc IERC8183Escrow
    function statusOf(uint256 jobId) external view returns (JobStatus status) {
        StoredJob storage job = _jobs[jobId];
        status = job.status;
        // Only an open job can be one that does not exist.
        if (status == JobStatus.Open && job.client == address(0)) revert UnknownJob(jobId);
    }

    /// @inheritdoc IERC8183Escrow
    function descriptionOf(uint256 jobId) external view returns (string memory) {
        _job(jobId);
        return _descriptions[jobId];
    }

    /// @inheritdoc IERC8183Escrow
    function fundingNonce(uint256 jobId, uint256 amount, bytes32 salt) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), "fund", jobId, amount, salt));
    }

    // ── Shared ──────────────────────────────────────────────────────────────────────────────────────────────────────

    function _create(
        address client,
        address provider,
        address evaluator,
        uint256 expiredAt,
        address hook
    ) private returns (uint256 jobId) {
        if (evaluator == address(0)) revert EvaluatorMissing();
        if (evaluator == provider) revert EvaluatorIsProvider(evaluator);
        if (hook != address(0)) revert HookNotSupported(hook);
        if (expiredAt <= block.timestamp || expiredAt > type(uint48).max) revert ExpiryNotInFuture(expiredAt);
        jobId = ++jobCount;
        StoredJob storage job = _jobs[jobId];
        job.client = client;
        job.expiredAt = uint48(expiredAt);
        job.evaluator = evaluator;
        if (provider != address(0)) job.provider = provider;
        emit JobCreated(jobId, client, provider, evaluator, expiredAt, hook);
    }

    function _setProvider(uint256 jobId, address provider) private {
        StoredJob storage job = _jobIn(jobId, JobStatus.Open);
        if (msg.sender != job.client) revert Unauthorized(jobId, msg.sender);
        if (provider == address(0)) revert ProviderMissing(jobId);
        if (job.provider != address(0)) revert ProviderAlreadySet(jobId, job.provider);
        if (provider == job.evaluator) revert EvaluatorIsProvider(provider);
        job.provider = provider;
        emit ProviderSet(jobId, provider);
    }

    function _setBudget(uint256 jobId, StoredJob storage job, uint256 amount) private {
        if (amount > type(uint96).max) revert BudgetTooLarge(amount);
        job.budget = uint96(amount);
        emit BudgetSet(jobId, amount);
    }

    function _startFunding(uint256 jobId, uint256 expectedBudget) private returns (address client) {
        StoredJob storage job = _jobIn(jobId, JobStatus.Open);
        uint256 budget = job.budget;
        if (job.provider == address(0)) revert ProviderMissing(jobId);
        if (budget == 0) revert BudgetMissing(jobId);
        if (budget != expectedBudget) revert BudgetMismatch(jobId, budget, expectedBudget);
        _beforeExpiry(jobId, job.expiredAt);
        client = job.client;
        job.status = JobStatus.Funded;
    }

    /// @dev What arrived is measured: a token that takes a cut on the way would leave the pool short for someone else.
    function _finishFunding(uint256 jobId, address client, uint256 amount, uint256 before) private {
        uint256 received = _balance() - before;
        if (received != amount) revert AmountNotReceived(amount, received);
        emit JobFunded(jobId, client, amount);
    }

    function _submit(uint256 jobId, StoredJob storage job, bytes32 deliverable) private {
        _beforeExpiry(jobId, job.expiredAt);
        job.status = JobStatus.Submitted;
        job.deliverable = deliverable;
        emit JobSubmitted(jobId, job.provider, deliverable);
    }

    function _refund(uint256 jobId, StoredJob storage job) private {
        address client = job.client;
        uint256 budget = job.budget;
        emit Refunded(jobId, client, budget);
        IERC20(token).safeTransfer(client, budget);
    }

    function _job(uint256 jobId) private view returns (StoredJob storage job) {
        job = _jobs[jobId];
        if (job.client == address(0)) revert UnknownJob(jobId);
    }

    function _jobIn(uint256 jobId, JobStatus status) private view returns (StoredJob storage job) {
        job = _job(jobId);
        if (job.status != status) revert WrongStatus(jobId, job.status);
    }

    function _isHeld(JobStatus status) private pure returns (bool) {
        return status == JobStatus.Funded || status == JobStatus.Submitted;
    }

    function _beforeExpiry(uint256 jobId, uint256 expiredAt) private view {
        if (block.timestamp >= expiredAt) revert JobHasExpired(jobId, expiredAt);
    }

    function _balance() private view returns (uint256) {
        return IERC20(token).balanceOf(address(this));
    }
}
