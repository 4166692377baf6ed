/** The service as the process that it is in production: `main.ts`, its environment, its ready line. */
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { TestContext } from "node:test"
import { projectRoot } from "../../../orchestrator/setup-record.ts"

export type ReadyLine = { url: string; jwks: string; kid: string; signer: string }

export type ServiceProcess = {
  readonly ready: ReadyLine
  readonly child: ChildProcess
  /** Everything written so far. */
  readonly output: () => { stdout: string; stderr: string }
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

const MAIN = join(projectRoot, "orchestrator", "confirmation-service", "main.ts")

export type SpawnedService = Omit<ServiceProcess, "ready"> & { readonly firstLine: Promise<string | null> }

/** Starts the process without waiting for anything. `nodeOptions` come before the script. */
export const spawnService = (t: TestContext, environment: Record<string, string>, nodeOptions: readonly string[] = []): SpawnedService => {
  const child = spawn(process.execPath, [...nodeOptions, MAIN], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  t.after(() => child.kill("SIGKILL"))
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }))
  })
  const firstLine = new Promise<string | null>((resolve) => {
    const lines = createInterface({ input: child.stdout })
    lines.once("line", resolve)
    lines.once("close", () => resolve(null))
  })
  return { child, output: () => ({ stdout, stderr }), exited, firstLine }
}

/** Starts the process and waits for its ready line. */
export const startServiceProcess = async (
  t: TestContext,
  environment: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<ServiceProcess> => {
  const service = spawnService(t, environment, nodeOptions)
  const line = await service.firstLine
  if (line === null) throw new Error(`the service did not start: ${service.output().stderr}`)
  return { ...service, ready: JSON.parse(line) as ReadyLine }
}
