/** Finds the first container engine that runs a hardened container, and says why it chose it. */
import { join } from "node:path"
import type { EngineRecord, ImageRecord } from "../../setup-record.ts"
import { loadImage } from "../image/load.ts"
import { type Answering, candidateSockets, identifyEngine } from "./engines.ts"
import { cgroupLayout, containerUlimits } from "./facts.ts"
import { ensurePodmanService, serviceSocket, stopPodmanService } from "./podman-service.ts"
import { probeEngine } from "./probe.ts"
import { hasProgram } from "./programs.ts"

type Env = Readonly<Record<string, string | undefined>>

export type Discovery = {
  engine: EngineRecord | null
  /** One line per engine and runtime tried: accepted, or why not. */
  tried: string[]
}

/** A map that no user of the host is in: 65,536 ids from 1,000,000 on. */
const ID_MAP = "0:1000000:65536"

const uid = (): number => process.getuid?.() ?? -1

/** How to ask for a user namespace: rootless engines are in one already. */
const usernsChoices = (engine: Answering): EngineRecord["userns"][] => {
  if (engine.kind === "podman" && !engine.rootless) return [{ kind: "libpod-idmap", uidmap: ID_MAP, gidmap: ID_MAP }, null]
  return [null]
}

const attempt = async (engine: Answering, runtime: string | null, image: ImageRecord, tried: string[]): Promise<EngineRecord | null> => {
  for (const userns of usernsChoices(engine)) {
    const target = { kind: engine.kind, socket: engine.socket, runtime, ulimits: containerUlimits(), userns }
    const name = `${engine.kind} ${engine.version} at ${engine.socket}${runtime === null ? "" : ` with ${runtime}`}`
    try {
      const reference = await loadImage(engine, image)
      const result = await probeEngine(target, reference)
      const own = userns ?? (result.userns ? { kind: "engine" as const } : null)
      const why = `${name}: a hardened container ran in ${result.milliseconds} ms, ${own === null ? "without" : "with"} a user namespace of its own`
      tried.push(why)
      return { ...target, userns: own, version: engine.version, cgroup: cgroupLayout(), why }
    } catch (error) {
      const asked = userns === null ? "" : " in a user namespace of its own"
      tried.push(`${name}${asked}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return null
}

/** Runtimes to try by name: `crun` refuses hosts with hybrid cgroups, where `runc` works. */
const runtimeChoices = (): (string | null)[] => {
  const order = cgroupLayout() === "v2" ? ["crun", "runc"] : ["runc", "crun"]
  const installed = order.filter(hasProgram)
  return installed.length > 0 ? installed : [null]
}

/** An engine somebody else runs: first as it is set up, then by runtime. */
const tryServed = async (socket: string, image: ImageRecord, tried: string[]): Promise<EngineRecord | null> => {
  const engine = await identifyEngine(socket)
  if (engine === null) return null
  for (const runtime of engine.kind === "podman" ? [null, ...runtimeChoices()] : [null]) {
    const accepted = await attempt(engine, runtime, image, tried)
    if (accepted) return accepted
  }
  return null
}

/** A Podman that we serve, restarted for each runtime, because its Docker-compatible API takes none by name. */
const tryOwn = async (home: string, image: ImageRecord, tried: string[]): Promise<EngineRecord | null> => {
  if (!hasProgram("podman")) return null
  for (const runtime of runtimeChoices()) {
    await stopPodmanService(home)
    try {
      const { socket } = await ensurePodmanService(home, runtime)
      const engine = await identifyEngine(socket)
      const accepted = engine && (await attempt(engine, runtime, image, tried))
      if (accepted) return accepted
    } catch (error) {
      tried.push(`podman with ${runtime ?? "its own runtime"}: ${error instanceof Error ? error.message : error}`)
    }
  }
  await stopPodmanService(home)
  return null
}

/** Looks at `DOCKER_HOST`, the usual sockets, then at a Podman to serve. */
export const discoverEngine = async (home: string, image: ImageRecord, env: Env = process.env): Promise<Discovery> => {
  const tried: string[] = []
  for (const socket of candidateSockets(env, uid())) {
    const engine = await tryServed(socket, image, tried)
    if (engine) return { engine, tried }
  }
  if (!env.DOCKER_HOST) {
    const engine = await tryOwn(home, image, tried)
    if (engine) return { engine, tried }
  }
  return { engine: null, tried }
}

/** Whether the recorded engine is the Podman that we serve. */
export const isOwnService = (engine: Pick<EngineRecord, "socket">, home: string): boolean => join(engine.socket) === serviceSocket(home)
