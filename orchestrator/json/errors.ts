/** Codes of the strict JSON reader and of the canonical form. */
import type { ErrorTable } from "../errors.ts"

export const ERRORS = {
  "json-syntax": {
    status: 400,
    what: "The text is not JSON (RFC 8259).",
    recovery: "Correct it at the line and column that the message names; comments and trailing commas are not JSON.",
  },
  "json-trailing": { status: 400, what: "Something follows the JSON value.", recovery: "Send exactly one JSON value." },
  "json-duplicate-key": {
    status: 400,
    what: "An object has the same member twice, so two readers could see two documents.",
    recovery: 'Keep one; escapes count as what they spell ("\\u0061" is "a").',
  },
  "json-lone-surrogate": {
    status: 400,
    what: "A string holds half of a UTF-16 surrogate pair.",
    recovery: "Write the whole character, or U+FFFD where it is lost.",
  },
  "json-utf8": { status: 400, what: "The bytes are not UTF-8.", recovery: "Encode the document as UTF-8." },
  "json-bom": { status: 400, what: "The document begins with a byte order mark.", recovery: "Save it without one." },
  "json-not-finite": { status: 400, what: "NaN or Infinity is not JSON.", recovery: "Use a number, null or a string." },
  "json-number-range": {
    status: 400,
    what: "A number is too large or too small for an IEEE 754 double.",
    recovery: "Write it as a string.",
  },
  "json-integer-range": {
    status: 400,
    what: "An integer lies beyond ±(2^53 - 1), where doubles skip integers.",
    recovery: "Write it as a decimal string.",
  },
  "json-number-precision": {
    status: 400,
    what: "A number has more digits than a double keeps.",
    recovery: "Write it as a decimal string, or with at most 17 significant digits.",
  },
  "json-negative-zero": { status: 400, what: "Minus zero would become zero in the canonical form.", recovery: "Write 0." },
  "json-too-deep": { status: 400, what: "The document is nested deeper than the limit.", recovery: "Flatten it." },
  "json-too-large": { status: 413, what: "The document has more bytes than the limit.", recovery: "Send a smaller one." },
  "json-value": {
    status: 500,
    what: "A value of the program has no JSON form (undefined, a function, a bigint, a class instance, a cycle).",
    recovery: "Convert it before canonicalizing.",
  },
  "json-pointer": { status: 400, what: "Not an RFC 6901 JSON pointer.", recovery: "Begin with / and escape ~ as ~0, / as ~1." },
} as const satisfies ErrorTable

export type JsonErrorCode = keyof typeof ERRORS
