/** PGlite in the shape of a pool: what `pg` promises, on one session. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { after, before, describe, it } from "node:test"
import { PGlite } from "@electric-sql/pglite"
import { PGlitePool } from "../../orchestrator/store/pglite-pool.ts"

describe("the PGlite pool", () => {
  let db: PGlite
  let pool: PGlitePool
  before(async () => {
    db = await PGlite.create()
    pool = new PGlitePool(db)
    await pool.query("create table t (n int4 primary key, s text)")
  })
  after(() => db.close())

  const numbers = async (): Promise<unknown[]> => (await pool.query("select n from t order by n")).rows.map(({ n }) => n)

  it("answers rows, counts and commands, with and without parameters, several statements at once", async () => {
    assert.deepEqual(await pool.query("insert into t values ($1, $2)", [1, "one"]), { rows: [], rowCount: 1, command: "INSERT" })
    assert.deepEqual((await pool.query({ text: "select s from t where n = $1", values: [1] })).rows, [{ s: "one" }])
    await pool.query("insert into t values (2, 'a;b'); delete from t where n = 2")
    assert.deepEqual(await numbers(), [1])
  })

  it("keeps a transaction to itself until it ends", async () => {
    const client = await pool.connect()
    await client.query("BEGIN")
    await client.query("insert into t values (10)")
    let seen: unknown[] | undefined
    const outside = numbers().then((rows) => {
      seen = rows
    })
    await client.query("insert into t values (11)")
    assert.equal(seen, undefined)
    assert.equal((await client.query("COMMIT")).command, "COMMIT")
    await outside
    assert.deepEqual(seen, [1, 10, 11])
    client.release()
  })

  it("answers ROLLBACK to the COMMIT of a broken transaction, and goes on", async () => {
    const client = await pool.connect()
    await client.query("begin")
    await client.query("insert into t values (20)")
    await assert.rejects(client.query("insert into t values (20)"), { code: "23505" })
    await assert.rejects(client.query("select 1"), { code: "25P02" })
    assert.equal((await client.query("commit")).command, "ROLLBACK")
    assert.deepEqual((await client.query("select 1 as one")).rows, [{ one: 1 }])
    client.release()
    assert.ok(!(await numbers()).includes(20))
  })

  it("takes back to a savepoint, and commits the rest", async () => {
    const client = await pool.connect()
    await client.query("begin")
    await client.query("insert into t values (30)")
    await client.query("savepoint here")
    await assert.rejects(client.query("insert into t values (30)"), { code: "23505" })
    await client.query("rollback to savepoint here")
    await client.query("insert into t values (31)")
    assert.equal((await client.query("commit")).command, "COMMIT")
    client.release()
    assert.deepEqual((await numbers()).slice(-2), [30, 31])
  })

  it("ends what a client leaves open when it is given back", async () => {
    const client = await pool.connect()
    await client.query("begin")
    await client.query("insert into t values (40)")
    client.release()
    assert.ok(!(await numbers()).includes(40))
  })

  it("delivers notifications to whoever listens, and no more once it does not", async () => {
    const client = await pool.connect()
    await client.query('LISTEN "some_channel"')
    const heard = once(client, "notification")
    await pool.query("select pg_notify('some_channel', 'news')")
    assert.deepEqual(await heard, [{ channel: "some_channel", payload: "news" }])
    await client.query("unlisten *")
    client.on("notification", () => assert.fail("heard after unlisten"))
    await pool.query("select pg_notify('some_channel', 'more')")
    client.release()
  })

  it("knows a command behind comments and blanks", async () => {
    const client = await pool.connect()
    await client.query("-- Subscribes.\n\n  /* a; b */ LISTEN commented;\n")
    const heard = once(client, "notification")
    await client.query("-- a transaction\nbegin")
    await client.query("-- speaks\nselect pg_notify('commented', 'yes')")
    await client.query("  -- ends\n commit")
    assert.deepEqual(await heard, [{ channel: "commented", payload: "yes" }])
    client.release()
  })

  it("lets the event loop turn while hundreds wait for their answer", async () => {
    let longest = 0
    let last = performance.now()
    let stopped = false
    const tick = () => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      if (!stopped) setImmediate(tick)
    }
    setImmediate(tick)
    const began = performance.now()
    await Promise.all(Array.from({ length: 400 }, () => pool.query("select count(*) from generate_series(1, 500)")))
    const whole = performance.now() - began
    stopped = true
    // Without turns the loop would stand still for the whole of it.
    assert.ok(longest < whole / 4, `stood still for ${longest.toFixed(0)} of ${whole.toFixed(0)} ms`)
  })
})
