import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { findPostgres, findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import { runNode } from "./support/run.ts"

const directory = mkdtempSync(join(tmpdir(), "afg-test-run-"))
// The servers write below it as users of their own, and what a kill -9 leaves there goes with it.
chmodSync(directory, 0o755)
after(() => rmSync(directory, { recursive: true, force: true }))

const testFile = (name: string, body: string): string => {
  const file = join(directory, `${name}.test.ts`)
  writeFileSync(file, `import { it } from "node:test"\nimport assert from "node:assert/strict"\n${body}`)
  return file
}

/** The run's own environment: not the servers that the run around this test has started. */
const { TEST_REDIS_URL: _redis, TEST_DATABASE_URL: _database, AFG_REQUIRE_SERVICES: _require, ...rest } = process.env
const bare = { ...rest, TMPDIR: directory }
const run = (file: string, env: NodeJS.ProcessEnv = {}) => runNode(["scripts/test/run.ts", file], { env: { ...bare, ...env } })

const isGone = async (pid: number): Promise<boolean> => {
  for (let attempt = 0; attempt < 250; attempt += 1) {
    if (!existsSync(`/proc/${pid}`)) return true
    await delay(20)
  }
  return false
}

/** Prints the process ids of the servers, found by the ports in the variables, then waits. */
const PRINT_AND_WAIT = `
  import { readdirSync, readFileSync } from "node:fs"
  it("waits", async () => {
    const ports = [process.env.TEST_REDIS_URL, process.env.TEST_DATABASE_URL].map((url) => new URL(url ?? "").port)
    const lines = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) => {
      try { return [[pid, readFileSync(\`/proc/\${pid}/cmdline\`, "utf8")]] } catch { return [] }
    })
    const pids = ports.map((port) => lines.find(([, line]) => line.includes(port) && /^[^ ]*(?:redis-server|postgres)/.test(line))?.[0])
    console.log("SERVERS " + pids.join(" "))
    await new Promise((resolve) => setTimeout(resolve, 10_000))
  })`

const serversIn = (output: string): number[] => (/SERVERS (\d+) (\d+)/.exec(output)?.slice(1) ?? []).map(Number)

const installed = findRedis() !== null && findPostgres() !== null

describe("a run of the tests", { skip: installed ? false : "Redis and PostgreSQL are not installed" }, () => {
  it("gives the tests a Redis and a PostgreSQL that work, and ends with the runner's closing lines", async () => {
    const file = testFile(
      "servers",
      `import pg from ${JSON.stringify(import.meta.resolve("pg"))}
       import { Redis } from ${JSON.stringify(import.meta.resolve("ioredis"))}
       it("redis", async () => { const redis = new Redis(process.env.TEST_REDIS_URL ?? ""); assert.equal(await redis.ping(), "PONG"); redis.disconnect() })
       it("postgres", async () => {
         const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL }); await client.connect()
         assert.equal((await client.query("select 1 as one")).rows[0].one, 1); await client.end()
       })`,
    )
    const { code, stdout, stderr } = await run(file)
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /ℹ tests 2\n(?:ℹ .*\n)*ℹ duration_ms [\d.]+\n$/)
  })

  it("fails when a test fails", async () => {
    assert.equal((await run(testFile("failing", `it("fails", () => assert.fail())`))).code, 1)
  })

  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    it(`leaves no server behind after ${signal}`, { skip: process.platform === "linux" ? false : "reads /proc" }, async () => {
      let pids: number[] = []
      const onOutput = (output: string, pid: number) => {
        if (pids.length > 0) return
        pids = serversIn(output)
        if (pids.length > 0) process.kill(pid, signal)
      }
      const ended = await runNode(["scripts/test/run.ts", testFile("waiting", PRINT_AND_WAIT)], { env: bare, onOutput })
      assert.equal(pids.length, 2, ended.stdout + ended.stderr)
      if (signal !== "SIGKILL") assert.equal(ended.code, signal === "SIGINT" ? 130 : 143)
      for (const pid of pids) assert.ok(await isGone(pid), `process ${pid} is still there`)
    })
  }
})

describe("a run of the tests where a server is not installed", () => {
  // Redis is looked for on PATH only.
  const env = { PATH: "/nonexistent" }
  const redisHidden = ["/usr/sbin/redis-server", "/sbin/redis-server", "/usr/local/sbin/redis-server"].every((file) => !existsSync(file))
  const skip = redisHidden ? false : "this system has Redis where it is always looked for"

  it("says which tests it leaves out and how to get them", { skip }, async () => {
    const { code, stderr } = await run(testFile("wants", `it("wants TEST_REDIS_URL", () => {})`), env)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /Redis: it is not installed\. Left out are the tests on it in .*wants\.test\.ts/)
    assert.match(stderr, /to have them:\n {2}.*redis/)
  })

  it("fails in continuous integration", { skip }, async () => {
    const { code, stdout } = await run(testFile("wants", `it("is not run", () => {})`), { ...env, AFG_REQUIRE_SERVICES: "1" })
    assert.equal(code, 1)
    assert.equal(stdout, "")
  })
})
