import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { makeLink } from "../../../orchestrator/confirmation-service/admin.ts"
import { createBrowser } from "../support/browser.ts"
import { askAbout, enrol, startWorld } from "../support/world.ts"

describe("every answer", () => {
  test("forbids scripts, frames, foreign forms and caching; pages hold no script, handler or foreign address", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const link = new URL(makeLink({ dataDir: world.dataDir, now: world.clock.now }).url).pathname
    const browser = createBrowser(world.service, await enrol(world))
    for (const path of ["/", `/confirm/${request["request-id"]}`, link, "/nothing"]) {
      const { headers, html } = await browser.open(path)
      const policy = headers.get("content-security-policy") ?? ""
      for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
        assert.ok(policy.includes(part))
      assert.doesNotMatch(policy, /unsafe|script-src|https?:/)
      assert.equal(headers.get("x-content-type-options"), "nosniff")
      assert.equal(headers.get("x-frame-options"), "DENY")
      assert.equal(headers.get("referrer-policy"), "same-origin")
      assert.equal(headers.get("cache-control"), "no-store")
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8")
      assert.doesNotMatch(html, /<script|javascript:|\son\w+=|\sstyle=|<iframe|<img|(?:href|src|action)="(?:https?:)?\/\//i)
    }
    const problem = await fetch(`${world.service.url}/requests/none`)
    assert.equal(problem.headers.get("cache-control"), "no-store")
    assert.equal(problem.headers.get("content-type"), "application/problem+json")
  })

  test("sets the session's cookie out of reach of scripts and other sites", async (t) => {
    const world = await startWorld(t)
    await askAbout(world)
    const link = makeLink({ dataDir: world.dataDir, now: world.clock.now }).url
    const opened = await fetch(link, {
      method: "POST",
      redirect: "manual",
      headers: { origin: world.service.url, "sec-fetch-site": "same-origin" },
    })
    const [cookie] = opened.headers.getSetCookie()
    assert.match(cookie ?? "", /^afg-confirmation=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/)
  })

  test("over HTTPS the cookie is Secure and bound to this very host", async (t) => {
    const world = await startWorld(t, { CONFIRMATION_PUBLIC_URL: "https://confirm.example" })
    await askAbout({ ...world, service: { ...world.service, url: world.service.listening } })
    const { pathname } = new URL(makeLink({ dataDir: world.dataDir, now: world.clock.now }).url)
    // The listening address is not the public one here; the ready line has the public one.
    assert.equal(world.service.url, "https://confirm.example")
    const opened = await fetch(`${world.service.listening}${pathname}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: "https://confirm.example", "sec-fetch-site": "same-origin" },
    })
    assert.match(opened.headers.getSetCookie()[0] ?? "", /^__Host-afg-confirmation=[\w-]{43}; .*Secure; SameSite=Strict$/)
    assert.equal(opened.headers.get("strict-transport-security"), "max-age=31536000")
  })
})
