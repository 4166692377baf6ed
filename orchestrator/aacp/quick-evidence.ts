/**
 * Reads the evidence that services usually sign in one look. After an ECDSA verification the processor's caches are cold, and parsing, canonical
 * check and member checks cost more than they should (`scripts/bench/aacp.ts`).
 *
 * The pattern is the canonical form itself: members in order, no blanks, no escapes, so a text that matches has no duplicate and no second spelling.
 * Whatever does not match is left to the general reader, and a property test compares the two.
 */
import { isBase64url } from "./base64url.ts"
import type { ConfirmationEvidence } from "./evidence.ts"
import { parseTime } from "./time.ts"

/** Printable ASCII without quote and backslash: a JSON string that is its own spelling. */
const TEXT = '"([ !#-[\\]-~]+)"'
const DIGEST = '"([A-Za-z0-9_-]{43})"'

const PATTERN = new RegExp(
  [
    `^\\{"action-digest":${DIGEST}`,
    `,"audience":${TEXT}`,
    `,"auth-context":\\{"loa":([0-5]),"method":${TEXT}\\}`,
    ',"challenge":"([A-Za-z0-9_-]{22,})"',
    ',"confirmed-at":"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)"',
    ',"decision":"(confirmed|denied)"',
    `(?:,"rendering-digest":${DIGEST})?`,
    ',"request-id":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"',
    `,"subject":${TEXT}`,
    ',"v":1\\}$',
  ].join(""),
)

/** The evidence, or null where the general reader has to look. */
export const readQuickly = (text: string): ConfirmationEvidence | null => {
  const found = PATTERN.exec(text)
  if (found === null) return null
  const [, action = "", audience = "", loa, method = "", challenge = "", at = "", decision, rendering, id = "", subject = ""] = found
  if (!isBase64url(action) || !isBase64url(challenge) || parseTime(at) === null) return null
  if (rendering !== undefined && !isBase64url(rendering)) return null
  const shown = rendering === undefined ? {} : { "rendering-digest": rendering }
  return {
    "action-digest": action,
    audience,
    "auth-context": { loa: Number(loa), method },
    challenge,
    "confirmed-at": at,
    decision: decision === "confirmed" ? "confirmed" : "denied",
    ...shown,
    "request-id": id,
    subject,
    v: 1,
  }
}
