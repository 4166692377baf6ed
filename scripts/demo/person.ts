/**
 * The demonstration's person, as a process of its own: opens the confirmation page as a browser would, reads it, compares it with
 * what the principal was told, and presses one of its two buttons. It has a session of the method `scripted-demo` (loa 0), and
 * knows of no other address than the page's.
 *
 *   node scripts/demo/person.ts --service URL --request ID --session-file F --decision accept|reject --expect FILE
 *
 * FILE (or `-`) is a JSON object `{field: text}`: every field named there must be shown with exactly that text, or nothing is
 * pressed. Prints one line of JSON: `{request, decision, state, shown}` and exits 0, or `{error: {code, message}}` and exits 1.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { z } from "zod"
import { AfgError, isAfgError } from "../../orchestrator/errors.ts"
import { type ConfirmationPage, readConfirmationPage, type ShownField } from "./confirmation-page.ts"

export type PersonOptions = {
  /** The confirmation service's address. */
  service: string
  requestId: string
  /** What the service handed out at enrolment. */
  sessionSecret: string
  decision: "accept" | "reject"
  /** Field → exact text. */
  expect: Readonly<Record<string, string>>
}

export type PersonReport = { request: string; decision: "accept" | "reject"; state: string; shown: Record<string, string> }

/** The words on the buttons: a person reads these, not the values behind them. */
const BUTTON = { accept: "Accept", reject: "Reject" } as const
const STATE = { accept: "confirmed", reject: "denied" } as const

const mismatch = (message: string): AfgError => new AfgError("person-mismatch", message)

/** Throws `person-mismatch` unless everything expected is shown, once, with exactly the expected text. */
export const compareWithExpectation = (fields: readonly ShownField[], expect: Readonly<Record<string, string>>): void => {
  for (const [field, text] of Object.entries(expect)) {
    const shown = fields.filter((candidate) => candidate.field === field)
    const [only] = shown
    if (only === undefined || shown.length > 1) throw mismatch(`the page shows ${field} ${shown.length} times`)
    if (only.text !== text) throw mismatch(`the page shows ${JSON.stringify(only.text)} for ${field}, not ${JSON.stringify(text)}`)
  }
}

const cookieFor = (service: URL, secret: string): string => `${service.protocol === "https:" ? "__Host-" : ""}afg-confirmation=${secret}`

const readPage = async (response: Response): Promise<ConfirmationPage> => {
  const page = readConfirmationPage(await response.text())
  if (page.problem !== null) throw new AfgError(page.problem, `the service answered ${response.status}: ${page.heading}`)
  return page
}

/** Opens the page, reads it, decides. Throws `person-mismatch`, or the code of the service's error page. */
export const confirmAsPerson = async (options: PersonOptions): Promise<PersonReport> => {
  const service = new URL(options.service)
  const address = new URL(`/confirm/${options.requestId}`, service)
  const cookie = cookieFor(service, options.sessionSecret)
  const page = await readPage(await fetch(address, { headers: { cookie, accept: "text/html" }, redirect: "error" }))
  if (page.form === null) throw mismatch(`nothing can be decided: ${page.heading}`)
  compareWithExpectation(page.fields, options.expect)
  const button = page.form.buttons.find(({ text }) => text === BUTTON[options.decision])
  if (button === undefined) throw mismatch(`there is no button ${BUTTON[options.decision]}`)
  const target = new URL(page.form.action, address)
  // A browser would not send this session's form elsewhere (Content-Security-Policy: form-action 'self').
  if (target.href !== address.href) throw mismatch(`the form goes to ${target.href}`)
  const sent = await fetch(target, {
    method: "POST",
    headers: { cookie, origin: service.origin, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams([...page.form.hidden, [button.name, button.value]]).toString(),
  })
  const { state } = await readPage(sent)
  if (state !== STATE[options.decision]) throw mismatch(`the page says ${state ?? "nothing"} after pressing ${button.text}`)
  return {
    request: options.requestId,
    decision: options.decision,
    state,
    shown: Object.fromEntries(page.fields.map(({ field, text }) => [field, text])),
  }
}

const expectation = z.record(z.string(), z.string())

const optionsOf = (argv: readonly string[]): PersonOptions => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      service: { type: "string" },
      request: { type: "string" },
      "session-file": { type: "string" },
      decision: { type: "string" },
      expect: { type: "string" },
    },
  })
  const { service, request, decision, expect } = values
  const file = values["session-file"]
  if (service === undefined || request === undefined || file === undefined || expect === undefined) {
    throw new AfgError("usage", "--service, --request, --session-file and --expect are needed")
  }
  if (decision !== "accept" && decision !== "reject") throw new AfgError("usage", "--decision is accept or reject")
  return {
    service,
    requestId: request,
    sessionSecret: readFileSync(file, "utf8").trim(),
    decision,
    expect: expectation.parse(JSON.parse(readFileSync(expect === "-" ? 0 : expect, "utf8"))),
  }
}

if (import.meta.main) {
  try {
    process.stdout.write(`${JSON.stringify(await confirmAsPerson(optionsOf(process.argv.slice(2))))}\n`)
  } catch (error) {
    const code = isAfgError(error) ? error.code : "person-failed"
    process.stdout.write(`${JSON.stringify({ error: { code, message: error instanceof Error ? error.message : String(error) } })}\n`)
    process.exitCode = 1
  }
}
