/** The page with one purpose: this action, yes or no. */
import { METHODS } from "../methods.ts"
import type { RequestState, StoredRequest } from "../store/requests.ts"
import type { Session } from "../store/sessions.ts"
import type { PageView } from "../view.ts"
import { type Html, html } from "./html.ts"
import { layout } from "./layout.ts"
import { span, utc } from "./times.ts"
import { visible, visiblePlain } from "./visible-text.ts"

/** Long hexadecimal values are read character by character. */
const isExact = (text: string): boolean => /^(0x)?[0-9a-fA-F]{40,}$/.test(text)

const details = (view: PageView): Html => html`<dl>
${view.rows.map(
  ([field, label, text]) =>
    html`<div data-field="${field}"><dt>${visible(label)}</dt><dd${isExact(text) ? html` class="exact"` : null}>${visible(text)}</dd></div>
`,
)}</dl>`

const asker = (view: PageView): Html =>
  view.signedByPayer
    ? html`<p class="kicker">Your agent ${visible(view.agent)} asks, to act at ${visible(view.origin)}. Its wallet has signed this contract.</p>`
    : html`<p class="kicker">Asked in the name of your agent ${visible(view.agent)}, to act at ${visible(view.origin)}</p>`

const unsignedWarning = (view: PageView): Html | null =>
  view.signedByPayer
    ? null
    : html`<div class="notice warning"><p>Your agent's wallet has not signed this contract as far as can be told here: the request may come from someone else.</p></div>
`

/** Trailing zeros say nothing in a rate: 150 basis points are 1.5 %. */
const percent = (bps: number): string => `${bps / 100} %`

const consequences = (view: PageView): Html => html`<section class="warning" aria-labelledby="consequences">
<h2 id="consequences">You cannot take this back</h2>
<p>If you accept, ${visible(view.amount)} can leave the wallet ${visible(view.payer)} and be locked in the escrow contract.</p>
<p>From there it goes to the provider, less a fee of ${percent(view.feeBps)}, or back to that wallet. The checks below decide, and the agreed
mediator if their result is disputed. You can no longer change the terms or call the money back.</p>
</section>`

const form = (request: StoredRequest, token: string): Html => html`<form method="post" action="/confirm/${request.requestId}">
<input type="hidden" name="token" value="${token}">
<div class="choices">
<button type="submit" name="decision" value="confirmed">Accept</button>
<button type="submit" name="decision" value="denied">Reject</button>
</div>
</form>`

const presence = (session: Session): string =>
  session.method === "scripted-demo"
    ? `a demonstration program (${session.method}, assurance level ${METHODS[session.method].loa})`
    : `whoever opened the one-time link (${session.method}, assurance level ${METHODS[session.method].loa})`

const footer = (request: StoredRequest, session: Session): Html => html`<footer>
<p>You are ${visible(request.subject)}, known here as ${presence(session)}. The signed record will say exactly that.</p>
<p>Request ${request.requestId}</p>
</footer>`

/** `token` comes from `renderForm`: one for this rendering. */
export const confirmPage = (request: StoredRequest, session: Session, token: string, now: number): Html => {
  const { view } = request
  return layout(
    `Lock ${visiblePlain(view.amount)} in escrow?`,
    html`${asker(view)}
<h1>Lock ${visible(view.amount)} in escrow?</h1>
${unsignedWarning(view)}${consequences(view)}
<section aria-labelledby="details">
<h2 id="details">Exactly this</h2>
${details(view)}
</section>
<section aria-labelledby="decide">
<h2 id="decide">Your decision</h2>
<p>It counts until ${utc(request.expiresAt)} (${span(request.expiresAt - now)} from the time this page was opened). Without one, nothing happens.</p>
${form(request, token)}
</section>
${footer(request, session)}`,
  )
}

const OUTCOMES = {
  confirmed: ["You accepted", "Your agent may now lock this amount for exactly this job, once, before the confirmation ages."],
  denied: ["You rejected", "Nothing will be locked. Your agent may not ask for this action again unless you allow it in your inbox."],
  withdrawn: ["No longer asked", "You rejected this very action in another request, so this one was withdrawn."],
  expired: ["Too late to decide", "The time for this request has passed, and nothing was decided. Your agent can ask again."],
} as const

/** The same action after the decision, or without one. Nothing can be decided here any more. */
export const settledPage = (request: StoredRequest, state: Exclude<RequestState, { kind: "pending" }>, notice: string | null): Html => {
  const [title, text] = OUTCOMES[state.kind === "decided" ? state.decision : state.kind]
  const decided = state.kind === "decided" ? state : null
  return layout(
    title,
    html`${asker(request.view)}
<h1>${title}</h1>
${notice === null ? null : html`<div class="notice" role="status"><p>${notice}</p></div>`}
<div class="notice" data-state="${state.kind === "decided" ? state.decision : state.kind}"><p>${text}</p>
${decided === null ? null : html`<p>Decided ${utc(decided.decidedAt)}. <a href="/requests/${request.requestId}/evidence" download="${request.requestId}.jws">Download the signed record</a></p>`}
<p><a href="/">Inbox</a></p></div>
<section aria-labelledby="details">
<h2 id="details">It was about</h2>
${details(request.view)}
</section>
<footer><p>Request ${request.requestId}</p></footer>`,
  )
}
