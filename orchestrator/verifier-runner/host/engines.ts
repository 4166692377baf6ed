/** Which container engines answer on this host, and where. */
import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { AfgError } from "../../errors.ts"
import type { EngineRecord } from "../../setup-record.ts"
import { engineJson, engineRequest } from "./engine-http.ts"

type Env = Readonly<Record<string, string | undefined>>

export type Answering = { kind: EngineRecord["kind"]; socket: string; version: string; rootless: boolean }

/** A `unix://` address' path. Throws `engine-address-unsupported` for what is not on this machine. */
export const socketOfAddress = (address: string): string => {
  const match = /^unix:\/\/(\/.+)$/.exec(address)
  if (match?.[1]) return match[1]
  throw new AfgError(
    "engine-address-unsupported",
    `DOCKER_HOST is ${address}: only unix:// sockets are used, because checks need an engine on this machine`,
  )
}

/** Where to look, best first. `DOCKER_HOST`, when set, is the only place: whoever sets it means it. */
export const candidateSockets = (env: Env, uid: number): string[] => {
  if (env.DOCKER_HOST) return [socketOfAddress(env.DOCKER_HOST)]
  const runtimeDir = env.XDG_RUNTIME_DIR ?? `/run/user/${uid}`
  return [
    ...(uid === 0 ? ["/run/podman/podman.sock"] : [join(runtimeDir, "podman/podman.sock")]),
    "/var/run/docker.sock",
    join(runtimeDir, "docker.sock"),
    join(homedir(), ".docker/run/docker.sock"),
  ]
}

const isSocket = (path: string): boolean => existsSync(path) && statSync(path).isSocket()

/** What answers on a socket; null when nothing does. */
export const identifyEngine = async (socket: string): Promise<Answering | null> => {
  if (!isSocket(socket)) return null
  try {
    const ping = await engineRequest(socket, "/_ping", { timeoutMs: 5_000 })
    if (ping.status !== 200) return null
    const kind = ping.headers["libpod-api-version"] ? "podman" : "docker"
    const version = (await engineJson(socket, "/version")) as { Version: string }
    const info = (await engineJson(socket, "/info")) as { SecurityOptions?: string[] | null; Rootless?: boolean }
    const rootless = info.Rootless === true || (info.SecurityOptions ?? []).some((option) => option.includes("rootless"))
    return { kind, socket, version: version.Version, rootless }
  } catch {
    return null
  }
}

/** Whether the engine answers at all; cheap enough to ask before each use. */
export const answers = async (socket: string): Promise<boolean> => {
  if (!isSocket(socket)) return false
  try {
    return (await engineRequest(socket, "/_ping", { timeoutMs: 5_000 })).status === 200
  } catch {
    return false
  }
}

/** `/v4.3.1/libpod`: Podman's own API at the version that answers. */
export const libpodPrefix = async (socket: string): Promise<string> => {
  const ping = await engineRequest(socket, "/_ping", { timeoutMs: 5_000 })
  const version = ping.headers["libpod-api-version"]
  if (typeof version !== "string") throw new AfgError("engine-refused", `${socket} does not speak Podman's API`)
  return `/v${version}/libpod`
}
