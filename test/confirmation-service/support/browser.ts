/** A browser without a screen: cookies, forms, redirects, and the headers that browsers add by themselves. */
import { type ConfirmationPage, formsOf, type PageForm, readConfirmationPage } from "../../../scripts/demo/confirmation-page.ts"

export type Visit = {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly page: ConfirmationPage
  readonly forms: readonly PageForm[]
}

export type Browser = {
  readonly open: (path: string) => Promise<Visit>
  /** Sends a form as if `button`'s value had been pressed; `changes` is what only an attacker would change. */
  readonly send: (form: PageForm, decision: string | null, changes?: { headers?: Record<string, string>; body?: string }) => Promise<Visit>
  /** `name=value` of the session cookie. */
  readonly cookie: () => string
}

export const createBrowser = (service: { url: string }, session: string | null): Browser => {
  let cookie = session === null ? "" : `afg-confirmation=${session}`
  const keepCookie = (response: Response): void => {
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) cookie = set.split(";")[0] ?? ""
  }
  const visit = async (response: Response): Promise<Visit> => {
    keepCookie(response)
    const location = response.headers.get("location")
    if (response.status === 303 && location !== null) return open(location)
    const html = await response.text()
    return { status: response.status, headers: response.headers, html, page: readConfirmationPage(html), forms: formsOf(html) }
  }
  const open = async (path: string): Promise<Visit> =>
    visit(await fetch(new URL(path, service.url), { headers: cookie === "" ? {} : { cookie }, redirect: "manual" }))
  const send: Browser["send"] = async (form, decision, changes = {}) => {
    const fields = new URLSearchParams([...form.hidden, ...(decision === null ? [] : [["decision", decision]])] as [string, string][])
    const headers = {
      ...(cookie === "" ? {} : { cookie }),
      "content-type": "application/x-www-form-urlencoded",
      origin: new URL(service.url).origin,
      "sec-fetch-site": "same-origin",
      ...changes.headers,
    }
    const body = changes.body ?? fields.toString()
    return visit(await fetch(new URL(form.action, service.url), { method: "POST", headers, body, redirect: "manual" }))
  }
  return { open, send, cookie: () => cookie }
}

/** The form that decides. Fails where there is none. */
export const decisionForm = (visit: Visit): PageForm => {
  const { form } = visit.page
  if (form === null) throw new Error(`no form: ${visit.status} ${visit.page.heading}`)
  return form
}
