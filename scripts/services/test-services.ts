/** The servers of one test run, and the variables by which tests find them. */

import { findPostgres, findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import { startPostgres } from "./postgres.ts"
import { startRedis } from "./redis.ts"
import type { Server } from "./server.ts"

export type TestServices = {
  /** To merge into the tests' environment. */
  env: Record<string, string>
  /** What could not be had: the variable that tests will find absent, and why. */
  missing: { variable: string; what: string; why: string }[]
  stop: () => Promise<void>
}

type Wanted = { variable: string; what: string; start: () => Promise<Server> | null }

const WANTED: readonly Wanted[] = [
  {
    variable: "TEST_REDIS_URL",
    what: "Redis",
    start: () => {
      const program = findRedis()
      return program === null ? null : startRedis(program)
    },
  },
  {
    variable: "TEST_DATABASE_URL",
    what: "PostgreSQL",
    start: () => {
      const programs = findPostgres()
      return programs === null ? null : startPostgres(programs)
    },
  },
]

/** Starts what the environment does not name already. A server that is installed and does not start is an error, not a gap. */
export const startTestServices = async (environment: NodeJS.ProcessEnv): Promise<TestServices> => {
  const started = WANTED.map(async ({ variable, what, start }) => {
    if (environment[variable]) return { variable, what, server: null, given: environment[variable] }
    return { variable, what, server: await start(), given: undefined }
  })
  const settled = await Promise.allSettled(started)
  const stop = async () => {
    await Promise.all(settled.map((one) => (one.status === "fulfilled" ? one.value.server?.stop() : undefined)))
  }
  const services: TestServices = { env: {}, missing: [], stop }
  for (const one of settled) {
    if (one.status === "rejected") {
      await stop()
      throw one.reason
    }
    const { variable, what, server, given } = one.value
    const url = given ?? server?.url
    if (url === undefined) services.missing.push({ variable, what, why: "it is not installed" })
    else services.env[variable] = url
  }
  return services
}
