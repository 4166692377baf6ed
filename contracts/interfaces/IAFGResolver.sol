// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ActTerms, Terms, TimeTerms} from "../Terms.sol";
import {Act, Cause, Outcome, Party, RailField, RailState, State, Verdict} from "../Vocabulary.sol";

/// @title AFG resolver: what happened in a job, and the one thing that follows from it, RELEASE or REFUND
/// @notice Holds nothing, has no owner, and never reads `msg.sender`: every act is a signature (EIP-712, domain `AFG`, version `0`) that anyone may
/// carry here, and every byte it stores or emits is under one. Facts are stored, state and decision are computed from them and the time.
///
/// A job is keyed by its rail's reference `ref`. Its head slot holds keccak256(termsHash, record), so a call carries the Terms (or the groups
/// it reads and the hashes of the others) and the {Record}, both of which anyone can rebuild from events.
interface IAFGResolver {
    /// @notice What the job's head commits to besides the Terms. All zero until it happens.
    /// @param deliverableHash Of the current submission
    /// @param merkleRoot Of the latest verdict on the current submission, a primary's INCONCLUSIVE included; a new submission clears it
    /// @param documentHash Of the mediator's signed ruling, which follows from it and the facts
    struct Record {
        bytes32 deliverableHash;
        bytes32 merkleRoot;
        bytes32 documentHash;
    }

    /// @notice The confirmer's word that the buyer's human accepted exactly this action.
    /// @param evidenceDigest sha256 of the AACP evidence
    /// @param notAfter Last second at which it may be used
    struct Confirmation {
        bytes32 evidenceDigest;
        uint40 notAfter;
    }

    /// @notice What is stored of a job, unpacked. Times are block times, 0 when it has not happened.
    /// @param n Number of the current submission; 0 before the first
    /// @param submittedAt Time of submission n
    /// @param verdict On submission n. A primary's INCONCLUSIVE alone leaves NONE
    /// @param verdictAt Time of `verdict`
    /// @param primarySpoke The primary verifier has given its one verdict on submission n
    /// @param disputedAt A party filed a dispute
    /// @param ruling Signed by the mediator
    /// @param ruledAt Time of `ruling`
    /// @param appealedAt The one appeal was filed
    /// @param panelSize Of the panel that hears the appeal; 0 before
    /// @param votesAgainst Revealed votes for the opposite of the ruling
    /// @param concededBy Who gave in; nothing else happens after
    /// @param concededAt Time of the concession
    /// @param lapsed `lapse` has found the job unfunded after `fundBy`
    /// @param settled What was executed, or found executed, on the rail
    /// @param settledCause Why
    struct Facts {
        uint8 n;
        uint40 submittedAt;
        Verdict verdict;
        uint40 verdictAt;
        bool primarySpoke;
        uint40 disputedAt;
        Outcome ruling;
        uint40 ruledAt;
        uint40 appealedAt;
        uint8 panelSize;
        uint8 votesAgainst;
        Party concededBy;
        uint40 concededAt;
        bool lapsed;
        Outcome settled;
        Cause settledCause;
    }

    /// @notice What follows from facts and time.
    /// @param decision Final once not NONE; what bonds follow
    /// @param outcome What `settle` would do now, or did: the decision, but REFUND at and after `expiry`
    /// @param cause Of `outcome`; NOT_FUNDED for LAPSED
    struct Standing {
        State state;
        Outcome decision;
        Outcome outcome;
        Cause cause;
    }

    /// @notice The Terms are fixed for `ref`. Nothing was funded before.
    event Bound(bytes32 indexed ref, bytes32 indexed termsHash, bytes32 contractHash, bytes32 evidenceDigest);
    event Submitted(bytes32 indexed ref, bytes32 indexed termsHash, uint8 n, bytes32 deliverableHash, bytes32 uriHash);
    /// @param primary Given by the primary verifier, else by the fallback
    event VerdictGiven(
        bytes32 indexed ref,
        bytes32 indexed termsHash,
        uint8 n,
        Verdict verdict,
        bool primary,
        bytes32 merkleRoot
    );
    event Conceded(bytes32 indexed ref, bytes32 indexed termsHash, uint8 n, Party by);
    /// @notice The bound job was not funded in time. A funding that comes later can only be refunded.
    event Lapsed(bytes32 indexed ref, bytes32 indexed termsHash);
    /// @notice The rail was told. `termsHash` is zero with cause UNBOUND.
    /// @param root Of the verdict that stands; zero when there is none
    /// @param documentHash Of the signed ruling; zero when there is none
    event Settled(
        bytes32 indexed ref,
        bytes32 indexed termsHash,
        Outcome outcome,
        Cause cause,
        bytes32 root,
        bytes32 documentHash
    );
    /// @notice The rail had already ended the job by itself, for example by its own refund after expiry.
    event SettledElsewhere(bytes32 indexed ref, bytes32 indexed termsHash, Outcome outcome);

    /// @notice Bonds and the appeal panel are not part of this version, which therefore exists on the local development chain only.
    error LocalChainOnly(uint256 chainId);
    error AlreadyBound(bytes32 ref);
    error NotBound(bytes32 ref);
    /// @notice The Terms or the record given are not those of the job: something was altered, belongs elsewhere, or has been overtaken.
    error HeadMismatch(bytes32 ref);
    error InvalidSignature(address signer);
    /// @notice The verdict is signed by neither verifier of these Terms, or not over what stands here.
    error NotAVerifier(address recovered);
    error ConfirmerMismatch(bytes32 confirmer);
    error ConfirmationExpired(uint256 notAfter, uint256 time);
    error ConfirmationInvalid();
    error PartiesSame(address party);
    error PanelSizeInvalid(uint256 panelSize);
    error NoSubmissionAllowed();
    error PriceMissing();
    error FundByPassed(uint256 fundBy, uint256 time);
    error DeadlineOrder(uint256 fundBy, uint256 deliveryBy, uint256 expiry);
    error ExpiryTooShort(uint256 expiry, uint256 earliest);
    /// @notice The rail's job is not as the Terms have it.
    error RailMismatch(bytes32 ref, RailField field);
    error WrongSubmission(uint256 n, uint256 expected);
    error InvalidVerdict(uint256 finding);
    error InvalidParty(uint256 party);
    /// @notice Not now: the window has closed or not opened, it is someone else's turn, or the job is decided or over.
    error ActRefused(Act act, State state, Outcome decision);
    error NotFunded(bytes32 ref, RailState rail);
    error NotDecided(bytes32 ref, State state);
    error AlreadySettled(bytes32 ref);
    /// @notice The rail took the call but is not in the state that should follow.
    error RailDisobeyed(bytes32 ref, RailState rail);

    /// @notice Fixes the Terms for their rail reference, before anything is funded.
    /// Requirements: signed by buyer, provider and mediator; confirmed by the signer whose keccak256 is `roles.confirmer`, not later than
    /// `confirmation.notAfter`; `fundBy` not passed; deadlines in order and `expiry` after the end of every window with 3,600 s to spare;
    /// two parties, an odd panel of at least 3, a price; the rail's job unfunded and exactly as the Terms say.
    /// @param confirmerSigner ERC-7913: 20 bytes of a wallet, or verifier address and key
    function bind(
        Terms calldata terms,
        bytes calldata buyerSignature,
        bytes calldata providerSignature,
        bytes calldata mediatorSignature,
        Confirmation calldata confirmation,
        bytes calldata confirmerSigner,
        bytes calldata confirmerSignature
    ) external;

    /// @notice Records submission `n` by the provider's signature over `Submission`. It withdraws the earlier one and its verdict.
    /// Requirements: {Lifecycle-maySubmit}; for n = 1 the rail holds exactly the bound terms, in the state that a release needs, with the
    /// same deliverable where it records one.
    function submit(
        bytes32 ref,
        Terms calldata terms,
        Record calldata record,
        uint8 n,
        bytes32 deliverableHash,
        bytes32 uriHash,
        bytes calldata signature
    ) external;

    /// @notice Records a verdict on submission `n` by the primary's or the fallback's signature over `Verdict`. The first PASS or FAIL stands.
    /// Requirements: {Lifecycle-mayGiveVerdict}.
    /// @param finding 1 PASS, 2 FAIL, 3 INCONCLUSIVE
    function verdict(
        bytes32 ref,
        ActTerms calldata terms,
        Record calldata record,
        uint8 n,
        uint8 finding,
        bytes32 merkleRoot,
        bytes calldata signature
    ) external;

    /// @notice A party gives in, by its signature over `Concession`, which names what it reacts to: (n, merkleRoot, rulingDigest) as they stand.
    /// Requirements: {Lifecycle-mayConcede}; the rail is funded.
    /// @param party 1 buyer (RELEASE), 2 provider (REFUND)
    function concede(
        bytes32 ref,
        ActTerms calldata terms,
        Record calldata record,
        uint8 n,
        uint8 party,
        bytes calldata signature
    ) external;

    /// @notice Executes the decision on the rail, or REFUND at and after `expiry`. Reads the rail first: when it has ended without us, that is
    /// recorded instead. All or nothing; can be tried again for ever.
    function settle(bytes32 ref, TimeTerms calldata terms, Record calldata record) external;

    /// @notice Records that a bound job was not funded by `fundBy`.
    function lapse(bytes32 ref, TimeTerms calldata terms) external;

    /// @notice Refunds money on a reference that names this resolver but was never bound, or was funded after it lapsed.
    function refundUnbound(bytes32 ref) external;

    /// @notice keccak256 of (termsHash, record) for a bound reference, else zero.
    function headOf(bytes32 ref) external view returns (bytes32);

    /// @notice The head that a job with these Terms and this record has.
    function headFor(bytes32 termsHash, Record calldata record) external pure returns (bytes32);

    /// @notice The stored facts.
    function factsOf(bytes32 ref) external view returns (Facts memory);

    /// @notice State and decision now, at the block's time. Throws `NotBound` or `HeadMismatch`.
    function standingOf(bytes32 ref, TimeTerms calldata terms, Record calldata record) external view returns (Standing memory);

    /// @notice What the rail says of a reference.
    function railStateOf(bytes32 ref) external view returns (RailState);

    /// @notice hashStruct(Terms): what messages and events call `termsHash`.
    function hashTerms(Terms calldata terms) external pure returns (bytes32);

    /// @notice The contract on the rail that this resolver ends jobs on.
    function escrow() external view returns (address);
}
