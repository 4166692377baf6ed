/** Containers of the machine's own engine, for tests: run as checks are run, through the engine's API. */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { type EngineRecord, readSetupRecord } from "../../../orchestrator/setup-record.ts"
import { demultiplex, engineJson, engineRequest } from "../../../orchestrator/verifier-runner/host/engine-http.ts"
import { ensureEngine, ensureImage } from "../../../orchestrator/verifier-runner/host/ensure-engine.ts"

export type Container = {
  /** Sends a signal to the first process. */
  signal: (name: string) => Promise<void>
  /** Resolves when standard error has this text. */
  said: (text: string) => Promise<void>
  ended: () => Promise<{ code: number; stdout: string; stderr: string }>
  remove: () => Promise<void>
}

const POLL_MS = 20
const PATIENCE_MS = 30_000

export const recordedImage = () => {
  const [image] = readSetupRecord().images
  if (!image) throw new Error("no image is recorded: npm run setup")
  return image
}

/** Starts a container of the runner image with a command, by the Docker-compatible API that both engines have. */
export const startContainer = async (command: readonly string[], env: readonly string[] = []): Promise<Container> => {
  const engine: EngineRecord = await ensureEngine()
  const image = await ensureImage(engine, recordedImage().runner_image)
  const { Id } = (await engineJson(engine.socket, `/containers/create?name=afg-test-${randomBytes(6).toString("hex")}`, {
    method: "POST",
    body: {
      Image: image,
      Cmd: command,
      Env: env,
      HostConfig: {
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        Tmpfs: { "/tmp": "size=16m" },
        Memory: 128 * 1024 * 1024,
        PidsLimit: 64,
        Ulimits: engine.ulimits.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
      },
    },
  })) as { Id: string }
  const path = `/containers/${Id}`
  const output = async () => demultiplex((await engineRequest(engine.socket, `${path}/logs?stdout=true&stderr=true`)).body)
  await engineJson(engine.socket, `${path}/start`, { method: "POST" })
  return {
    signal: async (name) => {
      await engineJson(engine.socket, `${path}/kill?signal=${name}`, { method: "POST" })
    },
    said: async (text) => {
      const deadline = Date.now() + PATIENCE_MS
      while (!(await output()).stderr.includes(text)) {
        if (Date.now() > deadline) throw new Error(`the container did not say ${text}: ${JSON.stringify(await output())}`)
        await delay(POLL_MS)
      }
    },
    ended: async () => {
      const { StatusCode } = (await engineJson(engine.socket, `${path}/wait`, { method: "POST", timeoutMs: PATIENCE_MS })) as {
        StatusCode: number
      }
      return { code: StatusCode, ...(await output()) }
    },
    remove: async () => {
      await engineRequest(engine.socket, `${path}?force=true&v=true`, { method: "DELETE" })
    },
  }
}
