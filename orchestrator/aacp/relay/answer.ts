/** What comes back for a request: evidence, a report that nobody could be asked, or patience (AACP §4.4, §9.3). */
import { AfgError } from "../../errors.ts"
import { parseJson } from "../json.ts"
import { MEDIA_TYPES } from "../media-types.ts"
import { Members } from "../members.ts"
import { type ConfirmationStatus, parseStatus, readStatus } from "../status.ts"

export type Answer =
  /** A compact JWS: a decision, either way. The relying party judges it. */
  | { readonly kind: "evidence"; readonly evidence: string; readonly raw: unknown }
  /** Nobody could be asked, and why. Not a decision. */
  | { readonly kind: "status"; readonly status: ConfirmationStatus }
  /** The person has not decided yet. */
  | { readonly kind: "pending"; readonly decideBy: string | null; readonly page: string | null }

const plainType = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** A JSON answer: `{"evidence": "…"}`, a status object, or `{"outcome": "pending"}`. Throws `aacp-status-malformed` for others. */
const readJson = (body: string): Answer => {
  const raw = parseJson(body)
  const answer = new Members(raw, "aacp-status-malformed")
  if (answer.has("evidence")) return { kind: "evidence", evidence: answer.text("evidence"), raw }
  if (answer.value("outcome") !== "pending") return { kind: "status", status: readStatus(raw) }
  return { kind: "pending", decideBy: answer.optionalText("decide-by") ?? null, page: answer.optionalText("page") ?? null }
}

/** Reads an answer by its media type: from a service's reply, from a poll, or pushed back later. */
export const readAnswer = (contentType: string, body: string): Answer => {
  switch (plainType(contentType)) {
    case MEDIA_TYPES.evidence:
      return { kind: "evidence", evidence: body.trim(), raw: null }
    case MEDIA_TYPES.status:
      return { kind: "status", status: parseStatus(body) }
    case "application/json":
      return readJson(body)
    default:
      throw new AfgError("aacp-status-malformed", `an answer of type ${contentType || "(none)"} is not understood`)
  }
}
