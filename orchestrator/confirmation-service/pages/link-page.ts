/** Opening a one-time link takes a press of a button: previews and scanners that only look do not use it up. */
import { type Html, html } from "./html.ts"
import { layout } from "./layout.ts"

export const linkPage = (secret: string): Html =>
  layout(
    "Open a confirmation",
    html`<h1>Open a confirmation</h1>
<div class="notice"><p>An agent asks for a decision. This link works once, in this browser.</p>
<form method="post" action="/link/${secret}">
<p><button type="submit">Show me what is asked</button></p>
</form></div>`,
  )
