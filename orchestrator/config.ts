/**
 * The orchestrator's configuration: environment variables, checked once at start. `docs/configuration.md` lists them.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { AfgError, type ErrorTable } from "./errors.ts"
import { afgHome } from "./setup-record.ts"

export const ERRORS = {
  "config-invalid": {
    status: 500,
    what: "A configuration variable is missing or malformed.",
    recovery: "Correct the variable named in the message; docs/configuration.md lists them all.",
  },
  "role-missing": {
    status: 503,
    what: "The process asked does not play the role that this needs.",
    recovery: "Run a process with that role over the same store.",
  },
} as const satisfies ErrorTable

export const ROLES = ["api", "reconciler", "watcher", "keeper", "verifier"] as const
export type Role = (typeof ROLES)[number]

const url = z.url({ protocol: /^https?$/ })
const port = z.coerce.number().int().min(0).max(65535)
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

const schema = z.object({
  /** Everything this process keeps: store, blobs, locks. */
  DATA_DIR: z.string().min(1).optional(),
  /** Comma-separated; all roles by default. */
  ROLES: z.string().default(ROLES.join(",")),
  API_HOST: z.string().default("127.0.0.1"),
  API_PORT: port.default(0),
  /** Origin under which agents reach this API; part of what the human confirms. Default: the listening address. */
  PUBLIC_ORIGIN: url
    .refine((text) => URL.canParse(text) && new URL(text).origin === text, "must be an origin: scheme, host and port, nothing after them")
    .optional(),
  RPC_URL: url,
  /** JSON written by deployment: addresses and code hashes. */
  DEPLOYMENT_FILE: z.string().min(1),
  /** postgres:// for a server; without it an embedded PGlite in DATA_DIR. */
  DATABASE_URL: z.string().optional(),
  /** redis:// for the timers; without it they are in the store. */
  REDIS_URL: z.string().optional(),
  KEEPER_KEY_FILE: z.string().optional(),
  VERIFIER_KEY_FILE: z.string().optional(),
  /** JSON: `[{buyer, operator, issuer, jwks}]`, the confirmation service each buyer's operator enrolled. */
  CONFIRMATION_SERVICES_FILE: z.string().optional(),
  /** Blocks to wait before work starts on a log. */
  CONFIRMATIONS: z.coerce.number().int().min(0).default(0),
  /** Seconds between sweeps. */
  SWEEP_SECONDS: z.coerce.number().positive().default(1),
  MAX_OPEN_JOBS: z.coerce.number().int().positive().default(5),
  MAX_ARTIFACT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(2 * 1024 * 1024),
  /** The most that a contract's max_size_bytes can allow a deliverable here. */
  MAX_DELIVERABLE_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(64 * 1024 * 1024),
  SUBMISSIONS_PER_MINUTE: z.coerce.number().int().positive().default(6),
  /** `1`: `POST /dev/warp` moves a local chain's time. Chain 31337 only. */
  DEV_WARP: z.enum(["0", "1"]).default("0"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
})

const enrolments = z.array(
  z.strictObject({
    buyer: address,
    /** The confirming user: the buyer's operator. */
    operator: z.string().min(1),
    issuer: z.string().min(1),
    /** Where the service publishes its keys. */
    jwks: url,
  }),
)

/** Which service speaks for which buyer. Written by the buyer's operator, never by the agent. */
export type Enrolment = z.infer<typeof enrolments>[number]

export type Config = {
  dataDir: string
  roles: ReadonlySet<Role>
  host: string
  port: number
  publicOrigin: string | undefined
  rpcUrl: string
  deploymentFile: string
  databaseUrl: string | undefined
  redisUrl: string | undefined
  keeperKeyFile: string | undefined
  verifierKeyFile: string | undefined
  enrolments: readonly Enrolment[]
  confirmations: number
  sweepSeconds: number
  maxOpenJobs: number
  maxArtifactBytes: number
  maxDeliverableBytes: number
  submissionsPerMinute: number
  warp: boolean
  logLevel: string
}

const invalid = (error: z.ZodError): never => {
  const [issue] = error.issues
  throw new AfgError("config-invalid", `${issue?.path.join(".") ?? "configuration"}: ${issue?.message ?? "invalid"}`)
}

const parseRoles = (text: string): ReadonlySet<Role> => {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined || names.length === 0)
    throw new AfgError("config-invalid", `ROLES: ${unknown ?? "empty"} is none of ${ROLES.join(", ")}`)
  return new Set(names as Role[])
}

const readEnrolments = (file: string | undefined): Enrolment[] => {
  if (file === undefined) return []
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new AfgError("config-invalid", `CONFIRMATION_SERVICES_FILE: cannot read ${file}`, { cause })
  }
  const parsed = enrolments.safeParse(document)
  return parsed.success ? parsed.data : invalid(parsed.error)
}

/** Reads the environment. Throws `config-invalid` naming the variable. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const parsed = schema.safeParse(env)
  if (!parsed.success) return invalid(parsed.error)
  const values = parsed.data
  return {
    dataDir: values.DATA_DIR ?? join(afgHome(env), "data"),
    roles: parseRoles(values.ROLES),
    host: values.API_HOST,
    port: values.API_PORT,
    publicOrigin: values.PUBLIC_ORIGIN,
    rpcUrl: values.RPC_URL,
    deploymentFile: values.DEPLOYMENT_FILE,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    keeperKeyFile: values.KEEPER_KEY_FILE,
    verifierKeyFile: values.VERIFIER_KEY_FILE,
    enrolments: readEnrolments(values.CONFIRMATION_SERVICES_FILE),
    confirmations: values.CONFIRMATIONS,
    sweepSeconds: values.SWEEP_SECONDS,
    maxOpenJobs: values.MAX_OPEN_JOBS,
    maxArtifactBytes: values.MAX_ARTIFACT_BYTES,
    maxDeliverableBytes: values.MAX_DELIVERABLE_BYTES,
    submissionsPerMinute: values.SUBMISSIONS_PER_MINUTE,
    warp: values.DEV_WARP === "1",
    logLevel: values.LOG_LEVEL,
  }
}
