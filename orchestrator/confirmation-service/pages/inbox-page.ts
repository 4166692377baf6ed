/** The inbox: what waits for a decision, and what was decided. */
import type { RequestState, StoredRequest } from "../store/requests.ts"
import type { Session } from "../store/sessions.ts"
import { type Html, html } from "./html.ts"
import { layout } from "./layout.ts"
import { span, utc } from "./times.ts"
import { visible } from "./visible-text.ts"

export type InboxItem = {
  readonly request: StoredRequest
  readonly state: RequestState
  /** For a rejection that still stands: the token of the form that allows to be asked again. */
  readonly allowAgainToken: string | null
}

const TAGS = { confirmed: "Accepted", denied: "Rejected", withdrawn: "Withdrawn", expired: "Expired", pending: "Waiting" } as const

const tagOf = (state: RequestState): string => TAGS[state.kind === "decided" ? state.decision : state.kind]

const title = ({ request }: InboxItem): Html =>
  html`<a href="/confirm/${request.requestId}">Lock ${visible(request.view.amount)}</a> for job ${visible(request.view.jobId)}`

const pendingItem = (item: InboxItem, now: number): Html => html`<li data-request="${item.request.requestId}">
<p>${title(item)}</p>
<p class="soft">Asked ${item.request.view.signedByPayer ? "by" : "in the name of"} ${visible(item.request.view.agent)}; until ${utc(item.request.expiresAt)} (${span(item.request.expiresAt - now)})</p>
</li>
`

const allowAgain = (item: InboxItem): Html | null =>
  item.allowAgainToken === null
    ? null
    : html`<form method="post" action="/turns/${item.request.requestId}">
<input type="hidden" name="token" value="${item.allowAgainToken}">
<button type="submit">Let my agent ask for this again</button>
</form>`

const pastItem = (item: InboxItem): Html => html`<li data-request="${item.request.requestId}">
<p><span class="tag">${tagOf(item.state)}</span> ${title(item)}</p>
<p class="soft">${
  item.state.kind === "decided"
    ? html`${utc(item.state.decidedAt)} · <a href="/requests/${item.request.requestId}/evidence" download="${item.request.requestId}.jws">signed record</a>`
    : `asked ${utc(item.request.receivedAt)}`
}</p>
${allowAgain(item)}</li>
`

const list = (items: readonly Html[], none: string): Html =>
  items.length === 0 ? html`<p class="soft">${none}</p>` : html`<ul class="plain">${items}</ul>`

export const inboxPage = (session: Session, items: readonly InboxItem[], now: number): Html => {
  const pending = items.filter((item) => item.state.kind === "pending").map((item) => pendingItem(item, now))
  const past = items.filter((item) => item.state.kind !== "pending").map(pastItem)
  return layout(
    "Confirmations",
    html`<p class="kicker">${visible(session.subject)}</p>
<h1>Confirmations</h1>
<section aria-labelledby="waiting"><h2 id="waiting">Waiting for you</h2>
${list(pending, "Nothing waits for a decision.")}
</section>
<section aria-labelledby="history"><h2 id="history">Before</h2>
${list(past, "Nothing was decided yet.")}
</section>
<footer><p>This session was opened by ${session.method} and ends ${utc(session.expiresAt)}.${
      session.requestId === null ? null : " It shows the one request that its link was made for."
    }</p></footer>`,
  )
}
