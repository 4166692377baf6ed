// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC8183Escrow} from "../../../contracts/escrow/ERC8183Escrow.sol";
import {IERC8183} from "../../../contracts/interfaces/IERC8183.sol";
import {IERC8183Escrow} from "../../../contracts/interfaces/IERC8183Escrow.sol";
import {TestUSDC} from "../../../contracts/test-doubles/TestUSDC.sol";
import {bounded, vm} from "./Vm.sol";

/// @notice Clients, providers and evaluators who do whatever they like, in any order, at any time.
contract EscrowHandler {
    ERC8183Escrow public immutable escrow;
    TestUSDC public immutable token;
    address[4] private _actors = [address(0xA1), address(0xA2), address(0xA3), address(0xA4)];

    uint256 private constant OPEN = 1;
    uint256 private constant FUNDED = 2;
    uint256 private constant SUBMITTED = 4;

    uint256 public deposited;
    uint256 public paidOut;
    uint256 public collected;
    mapping(uint256 jobId => uint256 payments) public paymentsOf;

    constructor(ERC8183Escrow escrow_, TestUSDC token_) {
        (escrow, token) = (escrow_, token_);
    }

    function create(uint256 seed, uint256 budget, uint256 lifetime) external {
        address client = _actors[seed % 4];
        vm.prank(client);
        escrow.createJobWithBudget(
            _actors[(seed >> 8) % 4],
            _actors[((seed >> 8) + 1 + ((seed >> 16) % 3)) % 4],
            block.timestamp + bounded(lifetime, 1, 1_000),
            "",
            address(0),
            bounded(budget, 0, 1e12)
        );
    }

    function setBudget(uint256 jobSeed, uint256 budget) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, OPEN);
        vm.prank(job.client);
        escrow.setBudget(id, bounded(budget, 0, 1e12), "");
    }

    function fund(uint256 jobSeed) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, OPEN);
        token.mint(job.client, job.budget);
        vm.prank(job.client);
        token.approve(address(escrow), job.budget);
        vm.prank(job.client);
        escrow.fund(id, job.budget, "");
        deposited += job.budget;
    }

    function submit(uint256 jobSeed, bytes32 deliverable) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, FUNDED);
        vm.prank(job.provider);
        escrow.submit(id, deliverable, "");
    }

    function complete(uint256 jobSeed) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, SUBMITTED);
        uint256 before = token.balanceOf(job.provider);
        vm.prank(job.evaluator);
        escrow.complete(id, 0, "");
        _paid(id, token.balanceOf(job.provider) - before);
    }

    function reject(uint256 jobSeed) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, OPEN | FUNDED | SUBMITTED);
        bool open = job.status == IERC8183.JobStatus.Open;
        uint256 before = token.balanceOf(job.client);
        vm.prank(open ? job.client : job.evaluator);
        escrow.reject(id, 0, "");
        uint256 got = token.balanceOf(job.client) - before;
        require(got == (open ? 0 : job.budget), "refund");
        if (!open) _paid(id, got);
    }

    function claimRefund(uint256 jobSeed) external {
        (uint256 id, IERC8183Escrow.Job memory job) = _pick(jobSeed, FUNDED | SUBMITTED);
        uint256 before = token.balanceOf(job.client);
        escrow.claimRefund(id);
        uint256 got = token.balanceOf(job.client) - before;
        require(got == job.budget, "refund");
        _paid(id, got);
    }

    function collect() external {
        collected += escrow.collectFees();
    }

    function wait(uint256 duration) external {
        vm.warp(block.timestamp + bounded(duration, 1, 200));
    }

    function _paid(uint256 id, uint256 amount) private {
        paidOut += amount;
        ++paymentsOf[id];
    }

    /// @dev Three times in four a job in one of the states given (as bits), so that most calls get somewhere; else any job.
    function _pick(uint256 seed, uint256 states) private view returns (uint256 id, IERC8183Escrow.Job memory job) {
        uint256 count = escrow.jobCount();
        id = bounded(seed, 1, count);
        if (seed % 4 != 0) {
            for (uint256 i = 0; i < count && (states >> uint256(escrow.statusOf(id))) & 1 == 0; ++i) id = 1 + (id % count);
        }
        job = escrow.getJob(id);
    }
}

/// @notice The pool holds what the jobs hold and the fees, to the unit, whatever anyone does.
contract EscrowInvariants {
    ERC8183Escrow private _escrow;
    TestUSDC private _token;
    EscrowHandler private _handler;

    function setUp() public {
        _token = new TestUSDC();
        _escrow = new ERC8183Escrow(address(_token), 150, address(0xFEE));
        _handler = new EscrowHandler(_escrow, _token);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev One function, since the runner plays the whole campaign again for each.
    function invariant_solventConservedPaidOnce() public view {
        _solvent();
        _conserved();
        _paidOnceAndOnlyAtTheEnd();
    }

    function _solvent() private view {
        uint256 held = _escrow.accruedFees();
        for (uint256 id = 1; id <= _escrow.jobCount(); ++id) {
            IERC8183Escrow.Job memory job = _escrow.getJob(id);
            bool funded = job.status == IERC8183.JobStatus.Funded || job.status == IERC8183.JobStatus.Submitted;
            if (funded) held += job.budget;
        }
        require(_token.balanceOf(address(_escrow)) == held, "pool differs from what it owes");
    }

    function _conserved() private view {
        uint256 out = _handler.paidOut() + _handler.collected();
        require(_handler.deposited() == out + _token.balanceOf(address(_escrow)), "money made or lost");
        require(_token.balanceOf(address(0xFEE)) == _handler.collected(), "treasury");
    }

    function _paidOnceAndOnlyAtTheEnd() private view {
        for (uint256 id = 1; id <= _escrow.jobCount(); ++id) {
            IERC8183.JobStatus status = _escrow.statusOf(id);
            uint256 payments = _handler.paymentsOf(id);
            require(payments <= 1, "paid twice");
            if (status < IERC8183.JobStatus.Completed) require(payments == 0, "paid while open");
            if (status == IERC8183.JobStatus.Completed) require(payments == 1, "completed unpaid");
            if (status == IERC8183.JobStatus.Expired) require(payments == 1, "expired unpaid");
        }
    }
}

/// @notice The split of a completed job's budget for every budget and fee.
contract EscrowFees {
    function testFuzz_splitsToTheUnit(uint96 budget, uint16 feeBps) public {
        vm.assume(budget > 0);
        feeBps = uint16(bounded(feeBps, 0, 9_999));
        TestUSDC token = new TestUSDC();
        ERC8183Escrow escrow = new ERC8183Escrow(address(token), feeBps, address(0xFEE));
        uint256 id = escrow.createJobWithBudget(address(0xB0B), address(this), block.timestamp + 1, "", address(0), budget);
        token.mint(address(this), budget);
        token.approve(address(escrow), budget);
        escrow.fund(id, budget, "");
        vm.prank(address(0xB0B));
        escrow.submit(id, 0, "");
        escrow.complete(id, 0, "");
        uint256 fee = (uint256(budget) * feeBps) / 10_000;
        require(token.balanceOf(address(0xB0B)) == budget - fee, "provider");
        require(escrow.collectFees() == fee && token.balanceOf(address(0xFEE)) == fee, "treasury");
        require(token.balanceOf(address(escrow)) == 0, "left over");
    }
}
