// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

// The words of the AFG specification that the contracts share. Numbers are part of the ABI: append only.

/// @notice Where a job is (AFG §4). INCONCLUSIVE is an event, never a resting state: it escalates to DISPUTED at once.
/// DRAFT is also what the chain says of a reference that was never bound.
enum State {
    DRAFT,
    AGREED,
    FUNDED,
    SUBMITTED,
    VERIFIED_PASS,
    VERIFIED_FAIL,
    DISPUTED,
    RULED,
    APPEALED,
    RELEASED,
    REFUNDED,
    LAPSED
}

/// @notice The only two things that can happen to the money (AFG §2). Rulings and votes use the same numbers.
enum Outcome {
    NONE,
    RELEASE,
    REFUND
}

/// @notice Why the job ended.
enum Cause {
    NONE,
    CONCEDED,
    REVIEW_ELAPSED,
    FAIL_FINAL,
    NO_SUBMISSION,
    RULING,
    DEFAULT_RULING,
    PANEL,
    EXPIRY,
    UNBOUND,
    ELSEWHERE,
    NOT_FUNDED
}

/// @notice What a verifier found (AFG §8.2).
enum Verdict {
    NONE,
    PASS,
    FAIL,
    INCONCLUSIVE
}

/// @notice Who concedes: the buyer means RELEASE, the provider REFUND.
enum Party {
    NONE,
    BUYER,
    PROVIDER
}

/// @notice What can be refused for coming at the wrong time.
enum Act {
    SUBMIT,
    VERDICT,
    CONCEDE,
    LAPSE
}

/// @notice What an escrow rail says of a reference, in words common to all rails.
/// RELEASABLE: the price is held and the rail would accept a release.
enum RailState {
    UNFUNDED,
    FUNDED,
    RELEASABLE,
    RELEASED,
    REFUNDED
}

/// @notice Which part of the rail's job is not what the Terms say.
enum RailField {
    STATUS,
    CLIENT,
    PROVIDER,
    EVALUATOR,
    TOKEN,
    BUDGET,
    EXPIRY,
    HOOK,
    DELIVERABLE
}
