/** How much one request, and one inbox, may be. */

/** A request with the largest contract the reader takes. */
export const MAX_REQUEST_BYTES = 1_048_576
/** A form: a token and a word. */
export const MAX_FORM_BYTES = 4_096
/**
 * Undecided requests per person: about contracts that the buyer's wallet has signed, and about others. Anybody can send the latter,
 * so they have a place of their own and cannot keep the former out.
 */
export const MAX_PENDING = { signed: 20, unsigned: 5 } as const
/** Seconds that a confirmation may stay acceptable, which is also how long the person has to decide. */
export const LIFETIME_RANGE = { min: 1, max: 3_600 } as const
