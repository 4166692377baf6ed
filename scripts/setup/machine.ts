/** The part of set-up that runs on the project's own Node, after `npm ci`. `scripts/setup.mjs` starts it. */
import { afgHome, projectRoot } from "../../orchestrator/setup-record.ts"
import { hostPlatform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { stopPodmanService } from "../../orchestrator/verifier-runner/host/podman-service.ts"
import { loadRecord, saveRecord } from "../../orchestrator/verifier-runner/host/record.ts"
import { ensureContracts, ensureFixtures } from "./artifacts.ts"
import { ensureDockerForTests } from "./docker.ts"
import { ensureEngineAndImage } from "./engine.ts"
import { ensureTestServices } from "./services.ts"
import { SetupFailure, say, step } from "./step.ts"

const setUp = async (forTests: boolean): Promise<void> => {
  const context = { root: projectRoot, home: afgHome(), platform: hostPlatform(), step, say }
  if (forTests) {
    await ensureTestServices(context)
    await ensureDockerForTests(context)
  }
  const record = await ensureEngineAndImage(context, loadRecord(context.home))
  saveRecord(context.home, record)
  await ensureContracts(context)
  await ensureFixtures(context, record)
}

const main = async (args: readonly string[]): Promise<number> => {
  try {
    if (args.includes("--stop")) {
      if (await stopPodmanService(afgHome())) say("the Podman service is stopped")
    } else await setUp(args.includes("--tests"))
    return 0
  } catch (error) {
    say(`failed: ${error instanceof Error ? error.message : error}`)
    if (error instanceof SetupFailure) say(`to go on:\n${error.advice}`)
    return 1
  }
}

process.exitCode = await main(process.argv.slice(2))
