// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title ERC-8183 Agentic Commerce, as the text of the ERC has it (selectors, events, transitions)
/// @notice A job's budget sits in escrow until the evaluator completes it (provider is paid) or rejects it (client is refunded), or it
/// expires (client is refunded). `optParams` is for hooks; a kernel without hooks ignores it.
interface IERC8183 {
    enum JobStatus {
        Open,
        Funded,
        Submitted,
        Completed,
        Rejected,
        Expired
    }

    event JobCreated(
        uint256 indexed jobId,
        address indexed client,
        address indexed provider,
        address evaluator,
        uint256 expiredAt,
        address hook
    );
    event ProviderSet(uint256 indexed jobId, address indexed provider);
    event BudgetSet(uint256 indexed jobId, uint256 amount);
    event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount);
    event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable);
    event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason);
    event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason);
    event JobExpired(uint256 indexed jobId);
    event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount);
    event Refunded(uint256 indexed jobId, address indexed client, uint256 amount);

    /// @notice Opens a job with `client = msg.sender`. `provider` may be zero and set later, once.
    function createJob(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook
    ) external returns (uint256 jobId);

    /// @notice The client names the provider of an Open job that has none.
    function setProvider(uint256 jobId, address provider) external;

    /// @notice As {setProvider}, with hook data.
    function setProvider(uint256 jobId, address provider, bytes calldata optParams) external;

    /// @notice Sets the price of an Open job.
    function setBudget(uint256 jobId, uint256 amount, bytes calldata optParams) external;

    /// @notice The client locks the budget, which must equal `expectedBudget`. Open to Funded.
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata optParams) external;

    /// @notice The provider hands in its work. Funded to Submitted.
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata optParams) external;

    /// @notice The evaluator pays the provider. Submitted to Completed.
    function complete(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice The client withdraws an Open job, or the evaluator refunds a Funded or Submitted one. To Rejected.
    function reject(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice Refunds the client of a Funded or Submitted job from `expiredAt` on. Anyone may call. To Expired.
    function claimRefund(uint256 jobId) external;
}
