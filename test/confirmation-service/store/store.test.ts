/** What the store itself does not let happen, whatever the program would do. */
import assert from "node:assert/strict"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, type TestContext, test } from "node:test"
import fc from "fast-check"
import { appendAudit, brokenAuditEntry, readAudit } from "../../../orchestrator/confirmation-service/store/audit.ts"
import { lockDirectory, openDatabase } from "../../../orchestrator/confirmation-service/store/database.ts"
import { createBrowser, decisionForm } from "../support/browser.ts"
import { askAbout, enrol, startWorld, type World } from "../support/world.ts"

const withRaw = <T>(world: World, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(join(world.dataDir, "confirmations.sqlite"))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const decidedWorld = async (t: TestContext): Promise<World> => {
  const world = await startWorld(t)
  const request = await askAbout(world)
  const browser = createBrowser(world.service, await enrol(world))
  await browser.send(decisionForm(await browser.open(`/confirm/${request["request-id"]}`)), "denied")
  return world
}

describe("a decision", () => {
  const insert = (form: string) => `INSERT INTO decision
    SELECT r.request_id, ${form}, 'confirmed', r.subject, 'passkey', 5, r.rendering_digest, NULL, ${1_800_000_000} FROM request r`

  test("without a form that was rendered is refused", async (t) => {
    const world = await startWorld(t)
    await askAbout(world)
    withRaw(world, (database) => {
      assert.throws(() => database.exec(insert("'made-up'")), /comes from a page/)
      database.exec("PRAGMA foreign_keys = OFF")
      assert.throws(() => database.exec(insert("'made-up'")), /comes from a page/)
    })
  })

  test("with a form that was rendered and not sent is refused", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    await createBrowser(world.service, await enrol(world)).open(`/confirm/${request["request-id"]}`)
    withRaw(world, (database) => assert.throws(() => database.exec(insert("(SELECT form_id FROM form)")), /comes from a page/))
  })
})

describe("what happened", () => {
  for (const table of ["request", "decision", "answer", "audit"]) {
    test(`is not edited and not deleted: ${table}`, async (t) => {
      const world = await decidedWorld(t)
      const column = table === "audit" ? "event" : "request_id"
      withRaw(world, (database) => {
        assert.throws(() => database.exec(`UPDATE ${table} SET ${column} = 'x'`), /append-only/)
        assert.throws(() => database.exec(`DELETE FROM ${table}`), /append-only/)
      })
    })
  }

  test("is in the audit log, in order, and the log notices a change", async (t) => {
    const world = await decidedWorld(t)
    const database = openDatabase(world.dataDir)
    t.after(() => database.close())
    const entries = readAudit(database)
    assert.deepEqual(
      entries.map(({ event }) => event),
      ["service-started", "request-received", "session-enrolled", "decision-made", "answer-signed"],
    )
    assert.equal(brokenAuditEntry(entries), null)
    const forged = entries.map((entry) =>
      entry.event === "decision-made" ? { ...entry, detail: { ...entry.detail, decision: "confirmed" } } : entry,
    )
    assert.equal(brokenAuditEntry(forged)?.event, "decision-made")
    assert.equal(brokenAuditEntry(entries.filter(({ seq }) => seq !== 2))?.seq, 3)
    const text = JSON.stringify(entries)
    const secrets = withRaw(world, (raw) => raw.prepare("SELECT session_id FROM session").all())
    assert.ok(secrets.length > 0 && !secrets.some((row) => text.includes(String(row.session_id))))
  })

  test("any single change of the audit log is noticed (property)", async (t) => {
    const directory = await mkdtemp(join(tmpdir(), "afg-audit-"))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const database = openDatabase(directory)
    t.after(() => database.close())
    for (let n = 0; n < 8; n++) appendAudit(database, { at: n, event: "link-made", requestId: `r${n}`, detail: { n } })
    const entries = readAudit(database)
    const change = fc.record({
      index: fc.nat(7),
      at: fc.nat(3),
      event: fc.constantFrom("link-made", "link-opened"),
      requestId: fc.constantFrom("r1", "r2", null),
    })
    fc.assert(
      fc.property(change, ({ index, ...other }) => {
        const changed = entries.map((entry, n) => (n === index ? ({ ...entry, ...other } as typeof entry) : entry))
        const same = JSON.stringify(changed) === JSON.stringify(entries)
        assert.equal(brokenAuditEntry(changed)?.seq ?? null, same ? null : index + 1)
      }),
    )
  })
})

describe("the data directory", () => {
  test("is private, files included", async (t) => {
    const world = await decidedWorld(t)
    for (const name of ["confirmations.sqlite", "confirmations.sqlite-wal", "service.lock", "key.json"]) {
      assert.equal((await stat(join(world.dataDir, name))).mode & 0o777, 0o600, name)
    }
    assert.equal((await stat(world.dataDir)).mode & 0o777, 0o700)
  })

  test("serves one service at a time", async (t) => {
    const world = await startWorld(t)
    assert.throws(() => lockDirectory(world.dataDir), { code: "confirm-store-unusable" })
    await world.service.stop()
    lockDirectory(world.dataDir).release()
  })

  test("holds no secret in the clear", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const session = await enrol(world)
    const form = decisionForm(await createBrowser(world.service, session).open(`/confirm/${request["request-id"]}`))
    const token = form.hidden.get("token") ?? ""
    const everything = withRaw(world, (database) =>
      JSON.stringify(["session", "form", "link", "audit"].map((table) => database.prepare(`SELECT * FROM ${table}`).all())),
    )
    assert.ok(session.length > 40 && token.length > 40)
    assert.ok(!everything.includes(session) && !everything.includes(token))
  })

  test("of another version is refused", async (t) => {
    const world = await startWorld(t)
    withRaw(world, (database) => database.exec("PRAGMA user_version = 99"))
    assert.throws(() => openDatabase(world.dataDir), { code: "confirm-store-unusable" })
  })

  test("that is no directory is refused", () => {
    assert.throws(() => openDatabase("/dev/null/nowhere"), { code: "confirm-store-unusable" })
  })
})
