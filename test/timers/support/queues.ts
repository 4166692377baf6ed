/** The queues that the suites run on. */
import { DATABASES, type TestDatabase } from "../../store/support/stores.ts"

export type TestQueue = Pick<TestDatabase, "skip" | "create"> & { name: string; redisUrl: string | undefined }

const redisUrl = process.env.TEST_REDIS_URL

const on = (kind: TestDatabase["kind"]): TestDatabase => {
  const found = DATABASES.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`no database ${kind}`)
  return found
}

/** On Redis, the store beside it is the embedded one. */
export const QUEUES: readonly TestQueue[] = [
  { ...on("pglite"), name: "pglite", redisUrl: undefined },
  { ...on("postgres"), name: "postgres", redisUrl: undefined },
  {
    ...on("pglite"),
    name: "redis",
    redisUrl,
    skip: redisUrl === undefined && "TEST_REDIS_URL is not set: `npm test` starts a Redis where it is installed",
  },
]
