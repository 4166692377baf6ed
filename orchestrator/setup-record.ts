/**
 * What `scripts/setup.mjs` found and built, as it records it in `.afg/setup.json` (or `$AFG_HOME/setup.json`).
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { AfgError, type ErrorTable } from "./errors.ts"

export const ERRORS = {
  "setup-missing": {
    status: 503,
    what: "This checkout has not been set up, or set-up did not come to its end.",
    recovery: "Run `npm run setup`; it says what it does and what it cannot do.",
  },
} as const satisfies ErrorTable

export type EngineRecord = {
  kind: "podman" | "docker"
  /** Unix socket of the Docker-compatible API. */
  socket: string
  /** OCI runtime to ask for by name, such as `runc`; null for the engine's own default. */
  runtime: string | null
  version: string
  /** Explicit limits where the engine's defaults exceed the host's hard limits. */
  ulimits: { name: string; soft: number; hard: number }[]
  /** How a container gets a user namespace of its own; null where the engine cannot give one. */
  userns: { kind: "libpod-idmap"; uidmap: string; gidmap: string } | { kind: "engine" } | null
  /** v1 or hybrid hosts keep the memory controller outside the unified hierarchy. */
  cgroup: "v1" | "v2" | "hybrid"
  /** Why this engine, in one line. */
  why: string
}

export type ImageRecord = {
  /** `runner-python`, for example. */
  name: string
  /** OCI config digest, `sha256:…`: what contracts pin. */
  runner_image: string
  manifest_digest: string
  /** Bytes of the archive. */
  size: number
  /** `name=version` of what is inside. */
  packages: string[]
  /** The archive that loads into Podman and Docker with this digest. */
  archive: string
  /** Digest of the recipe it was built by; absent for an image that was loaded from elsewhere. */
  recipe?: string
}

export type SetupRecord = { version: 1; node: string; engine: EngineRecord | null; images: ImageRecord[] }

export const projectRoot: string = dirname(dirname(fileURLToPath(import.meta.url)))

/** The directory for everything local to this checkout: Node, images, data, logs. */
export const afgHome = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  env.AFG_HOME ?? join(projectRoot, ".afg")

/** Throws `setup-missing` when set-up has not run. */
export const readSetupRecord = (env: Readonly<Record<string, string | undefined>> = process.env): SetupRecord => {
  const file = join(afgHome(env), "setup.json")
  if (!existsSync(file)) throw new AfgError("setup-missing", "this checkout is not set up: run `npm run setup`")
  return JSON.parse(readFileSync(file, "utf8")) as SetupRecord
}
