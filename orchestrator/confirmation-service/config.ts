/** The service's configuration: environment variables, checked once at start. `docs/confirmation-service.md` lists them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { AfgError } from "../errors.ts"
import { afgHome } from "../setup-record.ts"
import type { Address } from "../types.ts"
import { LOCAL_CHAIN_ID } from "./methods.ts"

const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ""))

/** An origin as a browser writes it: two spellings would be two APIs. */
const origin = z.url({ protocol: /^https?$/ }).refine((text) => new URL(text).origin === text, "an origin: scheme, host and port, no path")

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "an address")
  .transform((text) => text.toLowerCase() as Address)

const schema = z.object({
  CONFIRMATION_HOST: z.string().min(1).default("127.0.0.1"),
  CONFIRMATION_PORT: z.coerce.number().int().min(0).max(65535).default(0),
  /** Store, key and lock. */
  CONFIRMATION_DATA_DIR: z.string().min(1).optional(),
  /** How people and verifiers reach the service. Default: the listening address. */
  CONFIRMATION_PUBLIC_URL: url.optional(),
  /** The service's name in its keys (`iss`). Default: the public URL. */
  CONFIRMATION_ISSUER: z.string().min(1).optional(),
  /** JSON: who is asked for which wallets. */
  CONFIRMATION_BUYERS_FILE: z.string().min(1),
  /** Comma-separated origins of the APIs whose actions are shown. */
  CONFIRMATION_API_ORIGINS: z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== ""),
    )
    .pipe(z.array(origin).min(1)),
  /** Comma-separated deployment files, one per chain. */
  CONFIRMATION_DEPLOYMENT_FILES: z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== ""),
    )
    .pipe(z.array(z.string()).min(1)),
  /** RPC of a local chain whose time is moved: the service then lives in the chain's time. Chain 31337 only. */
  CONFIRMATION_CLOCK_RPC_URL: url.optional(),
  CONFIRMATION_LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "silent"]).default("info"),
})

const buyers = z.array(
  z.strictObject({
    /** The person who confirms: the buyer's operator, as requests name it. */
    subject: z.string().min(1).max(200),
    /** Wallets of the agents that act for this person. */
    wallets: z.array(address).min(1),
  }),
)

const deployment = z.object({
  chainId: z.number().int().positive(),
  contracts: z.object({ AFGResolver: z.object({ address }), P256Verifier: z.object({ address }) }),
})

/** What the service must know of a chain: which resolver its signature is for, and which contract checks it there. */
export type ServedChain = { readonly chainId: number; readonly resolver: Address; readonly verifier: Address }

export type Enrolled = z.infer<typeof buyers>[number]

export type ServiceConfig = {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly publicUrl: string | undefined
  readonly issuer: string | undefined
  readonly buyers: readonly Enrolled[]
  readonly apiOrigins: readonly string[]
  readonly chains: readonly ServedChain[]
  readonly clockRpcUrl: string | undefined
  readonly logLevel: string
}

type Environment = Readonly<Record<string, string | undefined>>

const invalid = (where: string, why: string, cause?: unknown): never => {
  throw new AfgError("confirm-config-invalid", `${where}: ${why}`, { cause })
}

const check = <T>(type: z.ZodType<T>, value: unknown, where: string): T => {
  const parsed = type.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return invalid([where, ...(issue?.path ?? [])].filter((part) => part !== "").join("."), issue?.message ?? "invalid")
}

const readJson = (variable: string, file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch (cause) {
    return invalid(variable, `cannot read ${file} as JSON`, cause)
  }
}

/** A wallet belongs to one person: otherwise any of several could be asked. */
const readBuyers = (file: string): Enrolled[] => {
  const list = check(buyers, readJson("CONFIRMATION_BUYERS_FILE", file), "CONFIRMATION_BUYERS_FILE")
  const wallets = list.flatMap((entry) => entry.wallets)
  const twice = wallets.find((wallet, index) => wallets.indexOf(wallet) !== index)
  if (twice !== undefined) invalid("CONFIRMATION_BUYERS_FILE", `${twice} is listed twice`)
  return list
}

const readChain = (file: string): ServedChain => {
  const variable = "CONFIRMATION_DEPLOYMENT_FILES"
  const { chainId, contracts } = check(deployment, readJson(variable, file), variable)
  return { chainId, resolver: contracts.AFGResolver.address, verifier: contracts.P256Verifier.address }
}

/** Where the service keeps what is its own; the command line looks there too. */
export const confirmationDataDir = (env: Environment): string =>
  env.CONFIRMATION_DATA_DIR !== undefined && env.CONFIRMATION_DATA_DIR !== ""
    ? env.CONFIRMATION_DATA_DIR
    : join(afgHome(env), "confirmation")

export const keyFileIn = (dataDir: string): string => join(dataDir, "key.json")

/** Reads the environment and the files it names. Throws `confirm-config-invalid` naming the variable. */
export const readServiceConfig = (env: Environment): ServiceConfig => {
  const values = check(schema, env, "")
  const chains = values.CONFIRMATION_DEPLOYMENT_FILES.map(readChain)
  if (new Set(chains.map((chain) => chain.chainId)).size !== chains.length) {
    invalid("CONFIRMATION_DEPLOYMENT_FILES", "two files are for the same chain")
  }
  if (values.CONFIRMATION_CLOCK_RPC_URL !== undefined && chains.some(({ chainId }) => chainId !== LOCAL_CHAIN_ID)) {
    invalid("CONFIRMATION_CLOCK_RPC_URL", `only for chain ${LOCAL_CHAIN_ID}: elsewhere nobody moves time`)
  }
  return {
    host: values.CONFIRMATION_HOST,
    port: values.CONFIRMATION_PORT,
    dataDir: confirmationDataDir(env),
    publicUrl: values.CONFIRMATION_PUBLIC_URL,
    issuer: values.CONFIRMATION_ISSUER,
    buyers: readBuyers(values.CONFIRMATION_BUYERS_FILE),
    apiOrigins: values.CONFIRMATION_API_ORIGINS,
    chains,
    clockRpcUrl: values.CONFIRMATION_CLOCK_RPC_URL,
    logLevel: values.CONFIRMATION_LOG_LEVEL,
  }
}
