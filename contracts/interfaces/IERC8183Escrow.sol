// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC8183} from "./IERC8183.sol";

/// @title Our immutable ERC-8183 kernel
/// @notice One token, one fee, one treasury, fixed at construction. No hooks, no admin, no proxy, no evaluator's fee.
///
/// Stricter than the ERC where deployed kernels were bitten:
/// - only the client sets the budget, so a price cannot move between its two calls;
/// - nothing but a refund happens at or after `expiredAt`;
/// - only what was funded is ever refunded;
/// - `hook` must be zero, and the evaluator differs from the provider.
///
/// Each of create, fund and submit can also be done by anyone who carries the signature of the party (EIP-712, domain `AFG ERC8183 Escrow`,
/// version `1`, verified as ECDSA first and then by ERC-1271), so that no party needs the chain's own coin.
interface IERC8183Escrow is IERC8183 {
    /// @param budget In smallest units of the token
    /// @param expiredAt Unix seconds
    /// @param hook Always zero here
    /// @param deliverable What `submit` was given; zero before
    struct Job {
        address client;
        address provider;
        address evaluator;
        address hook;
        uint256 budget;
        uint256 expiredAt;
        JobStatus status;
        bytes32 deliverable;
    }

    /// @notice Signed by the client for {createJobWithAuthorization}.
    /// @param salt Tells apart authorizations that are otherwise equal
    struct CreateJob {
        address client;
        address provider;
        address evaluator;
        uint256 expiredAt;
        uint256 budget;
        bytes32 salt;
    }

    /// @notice The fee of a completed job was added to what {collectFees} pays out.
    event FeeAccrued(uint256 indexed jobId, uint256 amount);

    /// @notice Accrued fees went to the treasury.
    event FeesCollected(address indexed treasury, uint256 amount);

    error UnknownJob(uint256 jobId);
    error WrongStatus(uint256 jobId, JobStatus status);
    error Unauthorized(uint256 jobId, address caller);
    error InvalidSignature(address signer);
    error AuthorizationUsed(bytes32 digest);
    error EvaluatorMissing();
    error EvaluatorIsProvider(address evaluator);
    error HookNotSupported(address hook);
    error ExpiryNotInFuture(uint256 expiredAt);
    error ProviderMissing(uint256 jobId);
    error ProviderAlreadySet(uint256 jobId, address provider);
    error BudgetMissing(uint256 jobId);
    error BudgetTooLarge(uint256 amount);
    error BudgetMismatch(uint256 jobId, uint256 budget, uint256 expected);
    error AmountNotReceived(uint256 expected, uint256 received);
    error JobHasExpired(uint256 jobId, uint256 expiredAt);
    error JobNotExpired(uint256 jobId, uint256 expiredAt);
    error FeeTooHigh(uint256 feeBps);
    error ZeroAddress();

    /// @notice {createJob} and {setBudget} in one call.
    function createJobWithBudget(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook,
        uint256 budget
    ) external returns (uint256 jobId);

    /// @notice Opens a job for `job.client` by its signature. One signature opens one job, findable by {jobOfAuthorization}.
    function createJobWithAuthorization(CreateJob calldata job, bytes calldata signature) external returns (uint256 jobId);

    /// @notice Funds a job by the client's ERC-3009 authorization, given to `receiveWithAuthorization` with {fundingNonce} as its nonce: the
    /// signature can pay nothing but this job's budget.
    /// @param amount The whole budget
    /// @param salt Chosen by the client, part of the nonce
    function fundWithAuthorization(
        uint256 jobId,
        uint256 amount,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 salt,
        bytes calldata signature
    ) external;

    /// @notice Submits for the provider by its signature over `SubmitJob(uint256 jobId,bytes32 deliverable)`.
    function submitWithAuthorization(uint256 jobId, bytes32 deliverable, bytes calldata signature) external;

    /// @notice Pays all accrued fees to the treasury. Anyone may call; a blocked treasury blocks nothing else.
    function collectFees() external returns (uint256 amount);

    /// @notice The job in a fixed size. Throws `UnknownJob`.
    function getJob(uint256 jobId) external view returns (Job memory);

    /// @notice The job's status alone. Throws `UnknownJob`.
    function statusOf(uint256 jobId) external view returns (JobStatus);

    /// @notice The text given at creation, often empty.
    function descriptionOf(uint256 jobId) external view returns (string memory);

    /// @notice The job that {createJobWithAuthorization} opened for this EIP-712 digest; 0 while unused.
    function jobOfAuthorization(bytes32 digest) external view returns (uint256 jobId);

    /// @notice keccak256(abi.encode(chainId, escrow, "fund", jobId, amount, salt)): the ERC-3009 nonce for {fundWithAuthorization}.
    function fundingNonce(uint256 jobId, uint256 amount, bytes32 salt) external view returns (bytes32);

    /// @notice Jobs created so far; ids run from 1.
    function jobCount() external view returns (uint256);

    /// @notice The token all budgets are in.
    function token() external view returns (address);

    /// @notice Share of a completed job's budget, in hundredths of a percent, rounded down.
    function feeBps() external view returns (uint16);

    /// @notice Where fees go.
    function treasury() external view returns (address);

    /// @notice Fees not collected yet.
    function accruedFees() external view returns (uint256);
}
