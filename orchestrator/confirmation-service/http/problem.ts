/** Errors as programs (RFC 9457) and as people see them. `code` is the contract, the rest explains. */
import { ERRORS as AACP_ERRORS } from "../../aacp/errors.ts"
import { ERRORS as CONTRACT_ERRORS } from "../../contract/errors.ts"
import { type ErrorEntry, type ErrorTable, isAfgError } from "../../errors.ts"
import { ERRORS } from "../errors.ts"
import { type Html, html } from "../pages/html.ts"
import { messagePage } from "../pages/layout.ts"

const TABLES: readonly ErrorTable[] = [ERRORS, AACP_ERRORS, CONTRACT_ERRORS]

export type Failure = { readonly code: string; readonly entry: ErrorEntry; readonly detail: string; readonly path: string | undefined }

/** Whatever has no known code is ours and stays in the log. */
export const failureOf = (error: unknown): Failure => {
  if (isAfgError(error)) {
    const table = TABLES.find((candidate) => Object.hasOwn(candidate, error.code))
    const entry = table?.[error.code]
    if (entry !== undefined) return { code: error.code, entry, detail: error.message, path: error.path }
  }
  const entry = ERRORS["confirm-internal"]
  return { code: "confirm-internal", entry, detail: entry.what, path: undefined }
}

export const problemDocument = ({ code, entry, detail, path }: Failure): Record<string, unknown> => ({
  type: `about:blank#${code}`,
  title: entry.what,
  status: entry.status,
  code,
  detail,
  recovery: entry.recovery,
  ...(path === undefined ? {} : { path }),
})

export const problemPage = ({ code, entry, detail }: Failure, back: string | null): Html =>
  messagePage(
    entry.what,
    `${entry.recovery}`,
    html`<p class="soft" data-code="${code}">${code}: ${detail}</p>${back === null ? null : html`<p><a href="${back}">Open the page again</a></p>`}`,
  )
