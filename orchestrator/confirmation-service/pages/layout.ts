/** The frame of every page. */
import { type Html, type HtmlValue, html } from "./html.ts"

export const layout = (title: string, body: HtmlValue): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

/** A page that only says something: errors, ends, missing sessions. */
export const messagePage = (title: string, message: string, more: HtmlValue = null): Html =>
  layout(
    title,
    html`<h1>${title}</h1>
<div class="notice"><p>${message}</p>${more}</div>`,
  )
