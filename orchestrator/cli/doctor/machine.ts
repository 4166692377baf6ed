/** Checks of the machine: Node, container engine, images, clock, and the servers that tests start. */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AfgError } from "../../errors.ts"
import { readSetupRecord } from "../../setup-record.ts"
import { engineAdvice, servicesAdvice } from "../../verifier-runner/host/advice.ts"
import { ensureEngine, ensureImage } from "../../verifier-runner/host/ensure-engine.ts"
import { hostPlatform } from "../../verifier-runner/host/platform.ts"
import { probeEngine } from "../../verifier-runner/host/probe.ts"
import { type CheckResult, check, type Env } from "./check.ts"
import { findPostgres, findRedis } from "./servers.ts"

const NODE_MAJOR = 24

export const checkNode = (version: string = process.versions.node): Promise<CheckResult> =>
  check("Node", "npm run setup", () => {
    if (Number(version.split(".")[0]) !== NODE_MAJOR) throw new Error(`this is Node ${version}; the code is written for ${NODE_MAJOR}`)
    return `${version} at ${process.execPath}`
  })

/** Runs a hardened container now: that one ran at set-up proves little after an upgrade of the engine or the kernel. */
export const checkEngine = (env: Env): Promise<CheckResult> =>
  check("container engine", engineAdvice(hostPlatform()).trim(), async () => {
    const engine = await ensureEngine(env)
    const [image] = readSetupRecord(env).images
    if (!image) throw new AfgError("image-missing", "no image is recorded: run `npm run setup`")
    const result = await probeEngine(engine, await ensureImage(engine, image.runner_image, env))
    const namespace = result.userns ? "a user namespace of its own" : "no user namespace of its own"
    return `${engine.kind} ${engine.version} with ${engine.runtime ?? "its default runtime"} at ${engine.socket}, cgroups ${engine.cgroup}: a hardened container ran in ${result.milliseconds} ms, with ${namespace}`
  })

export const checkImages = (env: Env): Promise<CheckResult> =>
  check("images", "npx afg images build", async () => {
    const { images } = readSetupRecord(env)
    const engine = await ensureEngine(env)
    for (const image of images) await ensureImage(engine, image.runner_image, env)
    if (images.length === 0) throw new AfgError("image-missing", "no image is recorded")
    return images.map(({ name, runner_image }) => `${name} ${runner_image}`).join(", ")
  })

/** Seconds by which two clocks of one machine may differ. */
const TOLERANCE_S = 2
/** Nobody runs this before it was written. */
const EARLIEST = Date.UTC(2025, 0, 1)

/** Deadlines are compared with this clock: it must be plausible, and agree with the file system's and with itself. */
export const checkClock = (): Promise<CheckResult> =>
  check("clock", "set the system's clock, and keep it with NTP (Debian: apt-get install systemd-timesyncd)", async () => {
    const directory = await mkdtemp(join(tmpdir(), "afg-clock-"))
    try {
      const before = Date.now()
      if (before < EARLIEST) throw new Error(`it says ${new Date(before).toISOString()}, which is past`)
      await writeFile(join(directory, "now"), "")
      const offset = ((await stat(join(directory, "now"))).mtimeMs - before) / 1000
      if (Math.abs(offset) > TOLERANCE_S) throw new Error(`it differs from the file system's by ${offset.toFixed(1)} s`)
      return `${new Date(before).toISOString()}, agrees with the file system's`
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

/** Always well: without the servers a run of the tests leaves their suites out, and says so. */
export const checkTestServices = (): CheckResult => {
  const found = { Redis: findRedis(), PostgreSQL: findPostgres()?.postgres ?? null }
  const missing = Object.values(found).some((program) => program === null)
  const detail = Object.entries(found).map(([name, program]) => `${name}: ${program ?? "none, its suites are left out"}`)
  const result: CheckResult = { name: "services for tests", ok: true, detail: detail.join("; ") }
  return missing ? { ...result, fix: servicesAdvice(hostPlatform()).trim() } : result
}
