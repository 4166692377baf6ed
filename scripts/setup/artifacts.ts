/** What is generated from this checkout's own files: compiled contracts and fixtures. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { SetupRecord } from "../../orchestrator/setup-record.ts"
import { spawnQuiet } from "./spawn.mjs"
import { digestOf, isStamped, writeStamp } from "./stamp.ts"
import type { Say, Step } from "./step.ts"

type Context = { root: string; home: string; step: Step; say: Say }

const stampFile = (home: string, name: string): string => join(home, "stamps", name)

/** Compiles the contracts when their sources, the compiler's settings or its packages changed. */
export const ensureContracts = async ({ root, home, step, say }: Context): Promise<void> => {
  const config = join(root, "hardhat.config.ts")
  if (!existsSync(config)) {
    say("there is no hardhat.config.ts yet: contracts are not compiled")
    return
  }
  const digest = digestOf([config, join(root, "contracts"), join(root, "package-lock.json")], [], (file) => /\.(sol|ts|json)$/.test(file))
  const stamp = stampFile(home, "contracts")
  if (isStamped(stamp, digest) && existsSync(join(root, "artifacts"))) return
  await step("compiling the contracts", async () => {
    await spawnQuiet(process.execPath, [join(root, "node_modules/hardhat/dist/src/cli.js"), "build", "--no-tests"], {
      cwd: root,
      env: hardhatEnv(),
    })
    writeStamp(stamp, digest)
  })
}

/** Hardhat asks about telemetry and looks for a global installation unless told that no one is there to answer. */
export const hardhatEnv = (): NodeJS.ProcessEnv => ({ ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", NO_COLOR: "1" })

/** Makes the fixtures (repositories of the worked examples) when their script or the image they pin changed. */
export const ensureFixtures = async ({ root, home, step }: Context, record: SetupRecord): Promise<void> => {
  const script = join(root, "scripts", "fixtures", "build.ts")
  if (!existsSync(script)) return
  const pinned = record.images.map(({ runner_image }) => runner_image)
  const digest = digestOf([join(root, "scripts", "fixtures")], pinned)
  const stamp = stampFile(home, "fixtures")
  if (isStamped(stamp, digest)) return
  await step("making the fixtures", async () => {
    await spawnQuiet(process.execPath, ["--disable-warning=ExperimentalWarning", script], { cwd: root })
    writeStamp(stamp, digest)
  })
}
