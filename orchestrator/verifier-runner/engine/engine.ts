/** Runs hardened containers on the engine that set-up chose (design: `docs/sandbox.md`). */
import { randomBytes } from "node:crypto"
import { AfgError } from "../../errors.ts"
import type { EngineRecord } from "../../setup-record.ts"
import { ensureEngine, ensureImage } from "../host/ensure-engine.ts"
import { type EngineApi, engineApi } from "./api.ts"
import { type Attachment, attach } from "./attach.ts"
import { freshName, ownerLives, ownerOf } from "./identity.ts"
import { inputArchive } from "./input-archive.ts"
import { readOomKills } from "./oom.ts"
import { collectOutput } from "./output.ts"
import type { ContainerRun, Engine, RunEnd, RunOutcome } from "./types.ts"

type Env = Readonly<Record<string, string | undefined>>

/** What ended a run, whichever comes first. */
type Ending = RunEnd | { kind: "lost" } | { kind: "aborted" }

const TOKEN_BYTES = 24

/** Kills before it reads nothing: the count must be taken while the container lives. */
const outOfMemory = async (api: EngineApi, id: string, pid: number): Promise<boolean> => {
  const kills = await readOomKills(pid)
  if (kills !== undefined) return kills > 0
  return (await api.inspect(id)).oom_killed
}

const runOnce = async (engine: EngineRecord, api: EngineApi, image: string, run: ContainerRun): Promise<RunOutcome> => {
  const name = freshName()
  const owner = ownerOf()
  const token = randomBytes(TOKEN_BYTES).toString("hex")
  let id: string | undefined
  let attachment: Attachment | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    await api.createVolume(name, owner)
    id = name
    id = await api.create({ engine, image, name, owner, run, token }, inputArchive(run.files))
    const container = id
    let finish: (ending: Ending) => void = () => {}
    const ending = new Promise<Ending>((resolve) => {
      finish = resolve
    })
    const output = collectOutput(token, run.limits.output_bytes, {
      onHold: (code) => finish({ kind: "exited", code }),
      onOverflow: () => finish({ kind: "output-limit" }),
    })
    attachment = await attach(engine.socket, api.attachPath(container), output.take)
    run.signal?.addEventListener("abort", () => finish({ kind: "aborted" }), { once: true })
    if (run.signal?.aborted) throw new AfgError("run-aborted", "the run was called off before it began")
    const started = performance.now()
    await api.start(container)
    timer = setTimeout(() => finish({ kind: "timeout" }), run.timeout_s * 1000)
    void attachment.ended.then(() => finish({ kind: "lost" }))
    const { pid } = await api.inspect(container)
    const end = await ending
    const milliseconds = performance.now() - started
    if (end.kind === "aborted") throw new AfgError("run-aborted", "the run was called off")
    const out_of_memory = await outOfMemory(api, container, pid)
    if (end.kind === "lost" && !out_of_memory)
      throw new AfgError(
        "container-lost",
        `the container ended without saying how its command did: ${output.stderr().toString("utf8").trim().slice(-500)}`,
      )
    return {
      end: end.kind === "lost" ? { kind: "exited", code: 137 } : end,
      out_of_memory,
      stdout: output.stdout(),
      stderr: output.stderr(),
      milliseconds,
    }
  } finally {
    clearTimeout(timer)
    attachment?.close()
    if (id !== undefined) await api.remove(id)
    await api.removeVolume(name)
  }
}

const sweepWith = async (api: EngineApi): Promise<number> => {
  const { containers, volumes } = await api.leftovers()
  const orphans = containers.filter(({ owner }) => !ownerLives(owner))
  for (const { id } of orphans) await api.remove(id)
  const stores = volumes.filter(({ owner }) => !ownerLives(owner))
  for (const { id } of stores) await api.removeVolume(id)
  return orphans.length + stores.length
}

/**
 * The engine that set-up recorded, answering and with images at hand.
 *
 * Throws `setup-missing`, `engine-missing`, `engine-unreachable`.
 */
export const openEngine = async (env: Env = process.env): Promise<Engine> => {
  const record = await ensureEngine(env)
  const api = await engineApi(record)
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const start = async (run: ContainerRun): Promise<RunOutcome> => {
    // The service may have gone and come back since.
    const engine = await ensureEngine(env)
    const signal = run.signal === undefined ? closing.signal : AbortSignal.any([run.signal, closing.signal])
    return runOnce(engine, api, await ensureImage(engine, run.image, env), { ...run, signal })
  }
  return {
    run: (run) => {
      const started = start(run)
      running.add(started)
      const done = () => running.delete(started)
      started.then(done, done)
      return started
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(running)
    },
    sweep: () => sweepWith(api),
    description: [record.kind, record.version, record.runtime].filter((part) => part !== null).join(" "),
  }
}

/** An engine that is opened when something is first run on it: checks that need no container need no engine either. */
export const lazyEngine = (env: Env = process.env): Engine => {
  let opened: Promise<Engine> | undefined
  const open = (): Promise<Engine> => {
    opened ??= openEngine(env)
    return opened
  }
  return {
    run: async (run) => (await open()).run(run),
    sweep: async () => (await open()).sweep(),
    close: async () => (await opened?.catch(() => undefined))?.close(),
    description: "opened when needed",
  }
}
