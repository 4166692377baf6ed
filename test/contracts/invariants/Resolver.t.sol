// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC8183Escrow} from "../../../contracts/escrow/ERC8183Escrow.sol";
import {IAFGResolver} from "../../../contracts/interfaces/IAFGResolver.sol";
import {IERC8183} from "../../../contracts/interfaces/IERC8183.sol";
import {IERC8183Escrow} from "../../../contracts/interfaces/IERC8183Escrow.sol";
import {ERC8183Resolver} from "../../../contracts/rails/ERC8183Resolver.sol";
import {ActTerms, Clock, Terms, TimeTerms} from "../../../contracts/Terms.sol";
import {TestUSDC} from "../../../contracts/test-doubles/TestUSDC.sol";
import {Outcome, Verdict} from "../../../contracts/Vocabulary.sol";
import {MessagesHarness} from "../doubles/MessagesHarness.sol";
import {bounded, signature, vm} from "./Vm.sol";

/// @notice Every role doing whatever it may sign, in any order, at any time, over a handful of jobs.
contract ResolverHandler {
    uint256 private constant BUYER = 0xB1;
    uint256 private constant PROVIDER = 0xB2;
    uint256 private constant VERIFIER = 0xB3;
    uint256 private constant FALLBACK = 0xB4;
    uint256 private constant MEDIATOR = 0xB5;
    uint256 public constant PRICE = 40_000_000;
    uint256 public constant FEE = 600_000;

    ERC8183Escrow public immutable escrow;
    ERC8183Resolver public immutable resolver;
    TestUSDC public immutable token;
    MessagesHarness private immutable _messages;
    bytes32 private immutable _domain;
    address public immutable buyer = vm.addr(BUYER);
    address public immutable provider = vm.addr(PROVIDER);

    Terms[] private _terms;
    mapping(uint256 jobId => IAFGResolver.Record) private _records;

    /// @notice What each job paid, to whom; and whether a refund at expiry ever failed.
    mapping(uint256 jobId => uint256) public paidToProvider;
    mapping(uint256 jobId => uint256) public paidToBuyer;
    bool public stuck;
    mapping(bytes32 act => uint256) public successes;

    constructor(ERC8183Escrow escrow_, ERC8183Resolver resolver_, TestUSDC token_) {
        (escrow, resolver, token, _messages) = (escrow_, resolver_, token_, new MessagesHarness());
        _domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("AFG"),
                keccak256("0"),
                block.chainid,
                address(resolver_)
            )
        );
    }

    function jobs() external view returns (uint256) {
        return _terms.length;
    }

    function termsOf(uint256 id) external view returns (Terms memory) {
        return _terms[id - 1];
    }

    // ── Acts ────────────────────────────────────────────────────────────────────────────────────────────────────────

    function open(uint256 seed) external {
        if (_terms.length >= 8) return;
        Clock memory clock = _clock(seed);
        vm.prank(buyer);
        uint256 id = escrow.createJobWithBudget(provider, address(resolver), clock.expiry, "", address(0), PRICE);
        Terms storage terms = _terms.push();
        terms.contractHash = keccak256("the same for all");
        terms.ref = bytes32(id);
        terms.roles.buyer = buyer;
        terms.roles.provider = provider;
        terms.roles.confirmer = keccak256(abi.encodePacked(buyer));
        terms.roles.verifier = vm.addr(VERIFIER);
        terms.roles.fallbackVerifier = vm.addr(FALLBACK);
        terms.roles.mediator = vm.addr(MEDIATOR);
        terms.roles.panelSize = 3;
        terms.money.token = address(token);
        terms.money.price = uint128(PRICE);
        terms.clock = clock;
        if (seed % 5 != 0) _bind(id);
    }

    function fund(uint256 seed) external {
        uint256 id = _pick(seed, 1);
        token.mint(buyer, PRICE);
        vm.prank(buyer);
        token.approve(address(escrow), PRICE);
        vm.prank(buyer);
        escrow.fund(id, PRICE, "");
        ++successes["fund"];
    }

    function submit(uint256 seed, bytes32 deliverable) external {
        uint256 id = _pick(seed, 6);
        Terms memory terms = _terms[id - 1];
        if (escrow.statusOf(id) == IERC8183.JobStatus.Funded) {
            vm.prank(provider);
            escrow.submit(id, deliverable, "");
        }
        uint8 n = resolver.factsOf(terms.ref).n + 1;
        bytes32 message = _messages.submission(resolver.hashTerms(terms), n, deliverable, 0);
        bytes memory signed = _sign(PROVIDER, message);
        resolver.submit(terms.ref, terms, _records[id], n, deliverable, 0, signed);
        _records[id] = IAFGResolver.Record(deliverable, 0, 0);
        ++successes["submit"];
    }

    function verdict(uint256 seed, uint8 finding, bool primary, bytes32 root) external {
        uint256 id = _pick(seed, 4);
        Terms memory terms = _terms[id - 1];
        finding = uint8(bounded(finding, 1, 3));
        uint8 n = resolver.factsOf(terms.ref).n;
        IAFGResolver.Record memory record = _records[id];
        bytes32 message = _messages.verdict(resolver.hashTerms(terms), n, record.deliverableHash, finding, root);
        bytes memory signed = _sign(primary ? VERIFIER : FALLBACK, message);
        resolver.verdict(terms.ref, _act(terms), record, n, finding, root, signed);
        _records[id].merkleRoot = root;
        ++successes["verdict"];
    }

    function concede(uint256 seed, bool byBuyer) external {
        if (seed % 3 != 0) return;
        uint256 id = _pick(seed, 6);
        Terms memory terms = _terms[id - 1];
        uint8 n = resolver.factsOf(terms.ref).n;
        bytes32 message = _messages.concession(resolver.hashTerms(terms), n, _records[id].merkleRoot, 0);
        bytes memory signed = _sign(byBuyer ? BUYER : PROVIDER, message);
        resolver.concede(terms.ref, _act(terms), _records[id], n, byBuyer ? 1 : 2, signed);
        ++successes["concede"];
    }

    function settle(uint256 seed) external {
        uint256 id = _pick(seed, 6);
        _watch(id);
        resolver.settle(bytes32(id), _time(_terms[id - 1]), _records[id]);
        _count(id);
        ++successes["settle"];
    }

    function lapse(uint256 seed) external {
        uint256 id = _pick(seed, 1);
        resolver.lapse(bytes32(id), _time(_terms[id - 1]));
        ++successes["lapse"];
    }

    function refundUnbound(uint256 seed) external {
        uint256 id = _pick(seed, 6);
        _watch(id);
        resolver.refundUnbound(bytes32(id));
        _count(id);
        ++successes["refundUnbound"];
    }

    function claimRefund(uint256 seed) external {
        uint256 id = _pick(seed, 6);
        if (seed % 5 == 0 && block.timestamp < _terms[id - 1].clock.expiry) vm.warp(_terms[id - 1].clock.expiry);
        _watch(id);
        escrow.claimRefund(id);
        _count(id);
        ++successes["claimRefund"];
    }

    function wait(uint256 duration) external {
        vm.warp(block.timestamp + bounded(duration, 1, 2_000));
    }

    /// @notice At expiry money can always be got back through the resolver, whatever happened before.
    function refundAtExpiry(uint256 seed) external {
        if (seed % 7 != 0) return;
        uint256 id = _pick(seed, 6);
        IERC8183.JobStatus status = escrow.statusOf(id);
        if (status != IERC8183.JobStatus.Funded && status != IERC8183.JobStatus.Submitted) return;
        Terms memory terms = _terms[id - 1];
        if (block.timestamp < terms.clock.expiry) vm.warp(terms.clock.expiry);
        bool unbound = resolver.headOf(terms.ref) == 0 || resolver.factsOf(terms.ref).lapsed;
        _watch(id);
        if (unbound) {
            try resolver.refundUnbound(terms.ref) {} catch {
                stuck = true;
            }
        } else {
            try resolver.settle(terms.ref, _time(terms), _records[id]) {} catch {
                stuck = true;
            }
        }
        _count(id);
        ++successes["refundAtExpiry"];
    }

    // ── Helpers ─────────────────────────────────────────────────────────────────────────────────────────────────────

    uint256 private _buyerBefore;
    uint256 private _providerBefore;

    function _watch(uint256) private {
        (_buyerBefore, _providerBefore) = (token.balanceOf(buyer), token.balanceOf(provider));
    }

    function _count(uint256 id) private {
        paidToBuyer[id] += token.balanceOf(buyer) - _buyerBefore;
        paidToProvider[id] += token.balanceOf(provider) - _providerBefore;
    }

    function _bind(uint256 id) private {
        Terms memory terms = _terms[id - 1];
        bytes32 termsHash = resolver.hashTerms(terms);
        IAFGResolver.Confirmation memory confirmation = IAFGResolver.Confirmation("evidence", terms.clock.fundBy);
        bytes memory confirmed = _sign(BUYER, _messages.confirmation(termsHash, confirmation));
        resolver.bind(
            terms,
            _sign(BUYER, termsHash),
            _sign(PROVIDER, termsHash),
            _sign(MEDIATOR, termsHash),
            confirmation,
            abi.encodePacked(buyer),
            confirmed
        );
        ++successes["bind"];
    }

    function _clock(uint256 seed) private view returns (Clock memory clock) {
        clock.fundBy = uint40(block.timestamp + 500);
        clock.deliveryBy = uint40(clock.fundBy + bounded(seed >> 8, 1, 4_000));
        clock.verification = uint32(bounded(seed >> 16, 1, 1_000));
        clock.buyerReview = uint32(bounded(seed >> 24, 1, 1_000));
        clock.providerDispute = uint32(bounded(seed >> 32, 1, 1_000));
        clock.mediatorRuling = uint32(bounded(seed >> 40, 1, 500));
        clock.appealFiling = uint32(bounded(seed >> 48, 1, 500));
        clock.panelRuling = 500;
        clock.maxSubmissions = uint8(bounded(seed >> 56, 1, 4));
        clock.expiry = clock.deliveryBy + clock.verification + 1_000 + 500 + 500 + 500 + 3_600;
    }

    /// @dev A job whose rail status is among the bits given, if there is one.
    function _pick(uint256 seed, uint256 states) private view returns (uint256 id) {
        uint256 count = _terms.length;
        id = bounded(seed, 1, count);
        for (uint256 i = 0; i < count && (states >> uint256(escrow.statusOf(id))) & 1 == 0; ++i) id = 1 + (id % count);
    }

    function _sign(uint256 key, bytes32 message) private view returns (bytes memory) {
        return signature(key, keccak256(abi.encodePacked(hex"1901", _domain, message)));
    }

    function _act(Terms memory terms) private view returns (ActTerms memory) {
        (, bytes32 moneyHash, ) = _messages.groups(terms.roles, terms.money, terms.clock);
        return ActTerms(terms.contractHash, terms.ref, terms.roles, moneyHash, terms.clock);
    }

    function _time(Terms memory terms) private view returns (TimeTerms memory) {
        (bytes32 rolesHash, bytes32 moneyHash, ) = _messages.groups(terms.roles, terms.money, terms.clock);
        return TimeTerms(terms.contractHash, terms.ref, rolesHash, moneyHash, terms.clock);
    }
}

/// @notice What holds whatever everyone does.
contract ResolverInvariants {
    ERC8183Escrow private _escrow;
    ERC8183Resolver private _resolver;
    TestUSDC private _token;
    ResolverHandler private _handler;

    function setUp() public {
        _token = new TestUSDC();
        _escrow = new ERC8183Escrow(address(_token), 150, address(0xFEE));
        _resolver = new ERC8183Resolver(address(_escrow));
        _handler = new ResolverHandler(_escrow, _resolver, _token);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// @dev One function, since the runner plays the whole campaign again for each.
    function invariant_holdsNothingPaysOnceRefundsAlways() public view {
        _resolverHoldsNothing();
        _escrowSolvent();
        _paidOnceToOneParty();
        _settledAsTheRailSays();
        require(!_handler.stuck(), "a refund at expiry failed");
    }

    function _resolverHoldsNothing() private view {
        require(_token.balanceOf(address(_resolver)) == 0 && address(_resolver).balance == 0, "it holds something");
    }

    function _escrowSolvent() private view {
        uint256 held = _escrow.accruedFees();
        for (uint256 id = 1; id <= _handler.jobs(); ++id) {
            IERC8183Escrow.Job memory job = _escrow.getJob(id);
            bool funded = job.status == IERC8183.JobStatus.Funded || job.status == IERC8183.JobStatus.Submitted;
            if (funded) held += job.budget;
        }
        require(_token.balanceOf(address(_escrow)) == held, "pool differs from what it owes");
    }

    function _paidOnceToOneParty() private view {
        uint256 price = _handler.PRICE();
        for (uint256 id = 1; id <= _handler.jobs(); ++id) {
            uint256 toBuyer = _handler.paidToBuyer(id);
            uint256 toProvider = _handler.paidToProvider(id);
            require(toBuyer == 0 || toBuyer == price, "odd refund");
            require(toProvider == 0 || toProvider == price - _handler.FEE(), "odd release");
            require(toBuyer == 0 || toProvider == 0, "paid to both");
        }
    }

    function _settledAsTheRailSays() private view {
        for (uint256 id = 1; id <= _handler.jobs(); ++id) {
            IAFGResolver.Facts memory facts = _resolver.factsOf(bytes32(id));
            IERC8183.JobStatus status = _escrow.statusOf(id);
            if (facts.settled == Outcome.RELEASE) require(status == IERC8183.JobStatus.Completed, "not released");
            if (facts.settled == Outcome.REFUND) require(status > IERC8183.JobStatus.Completed, "not refunded");
            if (status == IERC8183.JobStatus.Completed) {
                require(facts.settled == Outcome.RELEASE && facts.n > 0, "released without us");
                require(facts.verdict == Verdict.PASS || uint8(facts.concededBy) == 1, "released without a reason");
            }
        }
    }
}
