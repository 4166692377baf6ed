/** The one style sheet. Both decisions look alike; nothing moves; colours follow the reader's scheme and pass WCAG AA. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f4f1, #15171a);
  --card: light-dark(#ffffff, #1f2226);
  --ink: light-dark(#16181b, #eceef0);
  --soft: light-dark(#52575e, #a9b0b8);
  --line: light-dark(#cfd2d6, #3b4047);
  --strong: light-dark(#16181b, #eceef0);
  --warn-page: light-dark(#fdf3dc, #33290f);
  --warn-line: light-dark(#8a5a00, #d9a441);
  --link: light-dark(#0b4f9c, #8fc1ff);
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
h1 { font-size: clamp(1.5rem, 6vw, 2rem); line-height: 1.2; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; line-height: 1.3; margin: 0 0 .625rem; }
p { margin: 0 0 .75rem; }
a { color: var(--link); }
section, .notice { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin: 0 0 1rem; }
.kicker { color: var(--soft); font-size: .9375rem; margin-bottom: .25rem; }
.soft { color: var(--soft); }
.warning { background: var(--warn-page); border-color: var(--warn-line); border-left-width: .375rem; }
.warning > :last-child, section > :last-child, .notice > :last-child { margin-bottom: 0; }
dl { margin: 0; }
dl > div { padding: .625rem 0; border-top: 1px solid var(--line); }
dl > div:first-child { border-top: 0; padding-top: 0; }
dl > div:last-child { padding-bottom: 0; }
dt { color: var(--soft); font-size: .9375rem; line-height: 1.4; margin-bottom: .125rem; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; white-space: pre-wrap; }
dd.exact { font: 600 .9375rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.foreign { unicode-bidi: isolate; direction: ltr; overflow-wrap: anywhere; white-space: pre-wrap; }
.code-point { display: inline-block; border: 1px solid var(--warn-line); background: var(--warn-page); color: var(--ink); border-radius: .25rem; padding: 0 .25rem; margin: 0 .125rem; font: 600 .8125rem/1.4 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: nowrap; }
.choices { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .75rem; margin: 0; }
button { font: inherit; font-weight: 700; min-height: 3.25rem; padding: .5rem .75rem; color: var(--ink); background: var(--card); border: 2px solid var(--strong); border-radius: .625rem; cursor: pointer; }
button:hover { background: var(--page); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
ul.plain { list-style: none; margin: 0; padding: 0; }
ul.plain > li { padding: .75rem 0; border-top: 1px solid var(--line); }
ul.plain > li:first-child { border-top: 0; padding-top: 0; }
ul.plain > li:last-child { padding-bottom: 0; }
ul.plain p { margin-bottom: .25rem; overflow-wrap: anywhere; }
li form { margin-top: .5rem; }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .625rem; font-size: .875rem; font-weight: 600; }
footer { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere; }
@media print { .choices { display: none; } }
`

/** A tick on a sheet, for the browser's tab. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="2" width="24" height="28" rx="4" fill="#16181b" stroke="#fff" stroke-width="2"/><path d="M10 16l4 5 8-11" fill="none" stroke="#fff" stroke-width="3"/></svg>`
