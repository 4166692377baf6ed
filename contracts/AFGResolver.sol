// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {FactsLib, PackedFacts} from "./Facts.sol";
import {IAFGResolver} from "./interfaces/IAFGResolver.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Messages} from "./Messages.sol";
import {Signatures} from "./Signatures.sol";
import {ActTerms, Clock, Terms, TermsHash, TimeTerms} from "./Terms.sol";
import {Act, Cause, Outcome, Party, RailState, State, Verdict} from "./Vocabulary.sol";

/// @title AFGResolver: what is the same on every rail
/// @notice See {IAFGResolver}. A rail's resolver adds how that rail reports a job, and how it releases and refunds.
/// @dev No reentrancy guard: the only calls out that are not static are the rail's release and refund, made when everything is written, so a second
/// `settle` in the middle of the first finds `AlreadySettled`. A guard would add 350 gas to every settlement and refuse nothing more.
abstract contract AFGResolver is IAFGResolver, EIP712 {
    struct Job {
        bytes32 head;
        PackedFacts facts;
    }

    /// @dev Time between the end of the last window and `expiry` that is left for someone to settle.
    uint256 private constant EXPIRY_MARGIN = 3_600;
    uint256 private constant LOCAL_CHAIN = 31_337;

    mapping(bytes32 ref => Job) private _jobs;

    constructor() EIP712("AFG", "0") {
        if (block.chainid != LOCAL_CHAIN) revert LocalChainOnly(block.chainid);
    }

    // ── Acts ────────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IAFGResolver
    function bind(
        Terms calldata terms,
        bytes calldata buyerSignature,
        bytes calldata providerSignature,
        bytes calldata mediatorSignature,
        Confirmation calldata confirmation,
        bytes calldata confirmerSigner,
        bytes calldata confirmerSignature
    ) external {
        bytes32 ref = _refOf(terms);
        if (_jobs[ref].head != 0) revert AlreadyBound(ref);
        _requireSound(terms);

        bytes32 termsHash = TermsHash.hash(terms);
        bytes32 digest = _hashTypedDataV4(termsHash);
        _requireSigned(terms.roles.buyer, digest, buyerSignature);
        _requireSigned(terms.roles.provider, digest, providerSignature);
        address mediator = terms.roles.mediator;
        if (mediator == address(0) || Signatures.recover(digest, mediatorSignature) != mediator) {
            revert InvalidSignature(mediator);
        }

        if (keccak256(confirmerSigner) != terms.roles.confirmer) revert ConfirmerMismatch(terms.roles.confirmer);
        if (block.timestamp > confirmation.notAfter) {
            revert ConfirmationExpired(confirmation.notAfter, block.timestamp);
        }
        digest = _hashTypedDataV4(Messages.confirmation(termsHash, confirmation));
        if (!Signatures.isValidNow(confirmerSigner, digest, confirmerSignature)) revert ConfirmationInvalid();

        _requireUnfundedAsAgreed(ref, terms);
        _jobs[ref].head = _head(termsHash, 0, 0, 0);
        emit Bound(ref, termsHash, terms.contractHash, confirmation.evidenceDigest);
    }

    /// @inheritdoc IAFGResolver
    function submit(
        bytes32 ref,
        Terms calldata terms,
        Record calldata record,
        uint8 n,
        bytes32 deliverableHash,
        bytes32 uriHash,
        bytes calldata signature
    ) external {
        bytes32 termsHash = TermsHash.hash(terms);
        Job storage job = _jobWith(ref, termsHash, record);
        PackedFacts facts = job.facts;
        if (n != facts.n() + 1) revert WrongSubmission(n, facts.n() + 1);
        if (!Lifecycle.maySubmit(terms.clock, facts, block.timestamp)) _refuse(Act.SUBMIT, terms.clock, facts);
        bytes32 message = Messages.submission(termsHash, n, deliverableHash, uriHash);
        _requireSigned(terms.roles.provider, _hashTypedDataV4(message), signature);
        // Later submissions find the rail as the first left it, unless it has ended, and then nothing of ours matters any more.
        if (n == 1) _requireReleasableAsAgreed(ref, terms, deliverableHash);

        job.head = _head(termsHash, deliverableHash, 0, 0);
        job.facts = FactsLib.submission(n, block.timestamp);
        emit Submitted(ref, termsHash, n, deliverableHash, uriHash);
    }

    /// @inheritdoc IAFGResolver
    function verdict(
        bytes32 ref,
        ActTerms calldata terms,
        Record calldata record,
        uint8 n,
        uint8 finding,
        bytes32 merkleRoot,
        bytes calldata signature
    ) external {
        bytes32 termsHash = TermsHash.hash(terms);
        Job storage job = _jobWith(ref, termsHash, record);
        PackedFacts facts = job.facts;
        if (n != facts.n()) revert WrongSubmission(n, facts.n());
        if (finding == 0 || finding > uint8(type(Verdict).max)) revert InvalidVerdict(finding);

        bytes32 message = Messages.verdict(termsHash, n, record.deliverableHash, finding, merkleRoot);
        address signer = Signatures.recover(_hashTypedDataV4(message), signature);
        bool primary = signer == terms.roles.verifier;
        if (signer == address(0) || (!primary && signer != terms.roles.fallbackVerifier)) revert NotAVerifier(signer);
        if (!Lifecycle.mayGiveVerdict(terms.clock, facts, primary, block.timestamp)) {
            _refuse(Act.VERDICT, terms.clock, facts);
        }

        if (primary) facts = facts.withPrimarySpoken();
        if (!primary || Verdict(finding) != Verdict.INCONCLUSIVE) {
            facts = facts.withVerdict(Verdict(finding), block.timestamp);
        }
        job.head = _head(termsHash, record.deliverableHash, merkleRoot, record.documentHash);
        job.facts = facts;
        emit VerdictGiven(ref, termsHash, n, Verdict(finding), primary, merkleRoot);
    }

    /// @inheritdoc IAFGResolver
    function concede(
        bytes32 ref,
        ActTerms calldata terms,
        Record calldata record,
        uint8 n,
        uint8 party,
        bytes calldata signature
    ) external {
        bytes32 termsHash = TermsHash.hash(terms);
        Job storage job = _jobWith(ref, termsHash, record);
        PackedFacts facts = job.facts;
        if (n != facts.n()) revert WrongSubmission(n, facts.n());
        if (party == 0 || party > uint8(type(Party).max)) revert InvalidParty(party);
        if (!Lifecycle.mayConcede(terms.clock, facts, Party(party), block.timestamp)) {
            _refuse(Act.CONCEDE, terms.clock, facts);
        }
        // Nobody can have ruled yet in this version, so the digest of the ruling that a concession reacts to is zero.
        bytes32 message = Messages.concession(termsHash, n, record.merkleRoot, 0);
        address signer = Party(party) == Party.BUYER ? terms.roles.buyer : terms.roles.provider;
        _requireSigned(signer, _hashTypedDataV4(message), signature);
        _requireHeld(ref, _railState(ref));

        job.facts = facts.withConcession(Party(party), block.timestamp);
        emit Conceded(ref, termsHash, n, Party(party));
    }

    /// @inheritdoc IAFGResolver
    function lapse(bytes32 ref, TimeTerms calldata terms) external {
        bytes32 termsHash = TermsHash.hash(terms);
        // Any head but the one that `bind` wrote means that the job was funded, and a funded job cannot lapse.
        Job storage job = _jobWithHead(ref, _head(termsHash, 0, 0, 0));
        PackedFacts facts = job.facts;
        RailState rail = _railState(ref);
        bool lapsable = PackedFacts.unwrap(facts) == 0 && rail == RailState.UNFUNDED;
        if (!lapsable || block.timestamp <= terms.clock.fundBy) {
            (State state, Outcome decision, , ) = Lifecycle.standing(terms.clock, facts, _isHeld(rail), block.timestamp);
            revert ActRefused(Act.LAPSE, state, decision);
        }
        job.facts = facts.withLapse();
        emit Lapsed(ref, termsHash);
    }

    // ── Views ───────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @inheritdoc IAFGResolver
    function headOf(bytes32 ref) external view returns (bytes32) {
        return _jobs[ref].head;
    }

    /// @inheritdoc IAFGResolver
    function headFor(bytes32 termsHash, Record calldata record) external pure returns (bytes32) {
        return _headOf(termsHash, record);
    }

    /// @inheritdoc IAFGResolver
    function factsOf(bytes32 ref) external view returns (Facts memory) {
        return _jobs[ref].facts.unpack();
    }

    /// @inheritdoc IAFGResolver
    function standingOf(
        bytes32 ref,
        TimeTerms calldata terms,
        Record calldata record
    ) external view returns (Standing memory s) {
        PackedFacts facts = _jobWith(ref, TermsHash.hash(terms), record).facts;
        bool funded = _isHeld(_railState(ref));
        (s.state, s.decision, s.outcome, s.cause) = Lifecycle.standing(terms.clock, facts, funded, block.timestamp);
    }

    /// @inheritdoc IAFGResolver
    function railStateOf(bytes32 ref) external view returns (RailState) {
        return _railState(ref);
    }

    /// @inheritdoc IAFGResolver
    function hashTerms(Terms calldata terms) external pure returns (bytes32) {
        return TermsHash.hash(terms);
    }

    // ── For a rail's resolver ───────────────────────────────────────────────────────────────────────────────────────

    /// @dev Everything of `settle` but the rail's call, which follows when the result is not NONE.
    function _settle(
        bytes32 ref,
        TimeTerms calldata terms,
        Record calldata record
    ) internal returns (Outcome outcome) {
        bytes32 termsHash = TermsHash.hash(terms);
        Job storage job = _jobWith(ref, termsHash, record);
        PackedFacts facts = job.facts;
        if (facts.settled() != Outcome.NONE) revert AlreadySettled(ref);
        if (facts.lapsed()) revert NotDecided(ref, State.LAPSED);

        RailState rail = _railState(ref);
        if (rail == RailState.UNFUNDED) revert NotFunded(ref, rail);
        if (!_isHeld(rail)) {
            Outcome elsewhere = rail == RailState.RELEASED ? Outcome.RELEASE : Outcome.REFUND;
            job.facts = facts.withSettlement(elsewhere, Cause.ELSEWHERE);
            emit SettledElsewhere(ref, termsHash, elsewhere);
            return Outcome.NONE;
        }

        State state;
        Cause cause;
        (state, , outcome, cause) = Lifecycle.standing(terms.clock, facts, true, block.timestamp);
        if (outcome == Outcome.NONE) revert NotDecided(ref, state);
        job.facts = facts.withSettlement(outcome, cause);
        emit Settled(ref, termsHash, outcome, cause, record.merkleRoot, record.documentHash);
    }

    /// @dev Everything of `refundUnbound` but the rail's refund, which follows.
    function _refundUnbound(bytes32 ref) internal {
        Job storage job = _jobs[ref];
        if (job.head != 0 && !job.facts.lapsed()) revert AlreadyBound(ref);
        _requireHeld(ref, _railState(ref));
        emit Settled(ref, 0, Outcome.REFUND, Cause.UNBOUND, 0, 0);
    }

    /// @dev The rail did what it was told.
    function _requireEnded(bytes32 ref, Outcome outcome) internal view {
        RailState rail = _railState(ref);
        if (rail != (outcome == Outcome.RELEASE ? RailState.RELEASED : RailState.REFUNDED)) {
            revert RailDisobeyed(ref, rail);
        }
    }

    /// @dev The rail's reference that these Terms are about.
    function _refOf(Terms calldata terms) internal view virtual returns (bytes32);

    /// @dev Reverts unless the rail's job is not funded yet and is exactly what the Terms say.
    function _requireUnfundedAsAgreed(bytes32 ref, Terms calldata terms) internal view virtual;

    /// @dev Reverts unless the rail's job is exactly what the Terms say, holds the price, and a release would go through.
    function _requireReleasableAsAgreed(
        bytes32 ref,
        Terms calldata terms,
        bytes32 deliverableHash
    ) internal view virtual;

    /// @dev What the rail says of the reference.
    function _railState(bytes32 ref) internal view virtual returns (RailState);

    // ── Shared ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /// @dev What other people's money and bonds depend on is enforced here, not left to a linter.
    function _requireSound(Terms calldata terms) private view {
        Clock calldata clock = terms.clock;
        if (terms.roles.buyer == terms.roles.provider) revert PartiesSame(terms.roles.buyer);
        if (terms.roles.panelSize < 3 || terms.roles.panelSize % 2 == 0) {
            revert PanelSizeInvalid(terms.roles.panelSize);
        }
        if (terms.money.price == 0) revert PriceMissing();
        if (clock.maxSubmissions == 0) revert NoSubmissionAllowed();
        if (block.timestamp > clock.fundBy) revert FundByPassed(clock.fundBy, block.timestamp);
        if (clock.fundBy >= clock.deliveryBy || clock.deliveryBy >= clock.expiry) {
            revert DeadlineOrder(clock.fundBy, clock.deliveryBy, clock.expiry);
        }
        uint256 earliest = uint256(clock.deliveryBy) +
            clock.verification +
            (clock.buyerReview > clock.providerDispute ? clock.buyerReview : clock.providerDispute) +
            clock.mediatorRuling +
            clock.appealFiling +
            clock.panelRuling +
            EXPIRY_MARGIN;
        if (clock.expiry < earliest) revert ExpiryTooShort(clock.expiry, earliest);
    }

    function _requireSigned(address signer, bytes32 digest, bytes calldata signature) private view {
        if (!Signatures.isValidNow(signer, digest, signature)) revert InvalidSignature(signer);
    }

    function _requireHeld(bytes32 ref, RailState rail) private pure {
        if (!_isHeld(rail)) revert NotFunded(ref, rail);
    }

    function _refuse(Act act, Clock calldata clock, PackedFacts facts) private view {
        (State state, Outcome decision, , ) = Lifecycle.standing(clock, facts, true, block.timestamp);
        revert ActRefused(act, state, decision);
    }

    /// @dev The job at `ref`, when what the caller says of it is what its head commits to.
    function _jobWith(
        bytes32 ref,
        bytes32 termsHash,
        Record calldata record
    ) private view returns (Job storage job) {
        return _jobWithHead(ref, _headOf(termsHash, record));
    }

    function _jobWithHead(bytes32 ref, bytes32 expected) private view returns (Job storage job) {
        job = _jobs[ref];
        bytes32 head = job.head;
        if (head != expected) {
            if (head == 0) revert NotBound(ref);
            revert HeadMismatch(ref);
        }
    }

    function _isHeld(RailState rail) private pure returns (bool) {
        return rail == RailState.FUNDED || rail == RailState.RELEASABLE;
    }

    function _headOf(bytes32 termsHash, Record calldata record) private pure returns (bytes32) {
        return keccak256(abi.encode(termsHash, record));
    }

    function _head(
        bytes32 termsHash,
        bytes32 deliverableHash,
        bytes32 merkleRoot,
        bytes32 documentHash
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(termsHash, deliverableHash, merkleRoot, documentHash));
    }
}
