/** Container engine and runner image: what is there, else what can be installed, else what the user can do. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { EngineRecord, ImageRecord, SetupRecord } from "../../orchestrator/setup-record.ts"
import { engineAdvice, imageAdvice } from "../../orchestrator/verifier-runner/host/advice.ts"
import { discoverEngine, isOwnService } from "../../orchestrator/verifier-runner/host/discover.ts"
import { answers, candidateSockets, identifyEngine } from "../../orchestrator/verifier-runner/host/engines.ts"
import type { Platform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { ensurePodmanService } from "../../orchestrator/verifier-runner/host/podman-service.ts"
import { hasProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { buildImage } from "../../orchestrator/verifier-runner/image/build.ts"
import { buildImageWithEngine } from "../../orchestrator/verifier-runner/image/build-with-engine.ts"
import { loadImage } from "../../orchestrator/verifier-runner/image/load.ts"
import { recipeDigest } from "../../orchestrator/verifier-runner/image/recipe.ts"
import { aptInstall, canInstall } from "./apt.ts"
import { type Say, SetupFailure, type Step } from "./step.ts"

type Context = { home: string; platform: Platform; step: Step; say: Say }

const servedEngine = async (): Promise<string | null> => {
  for (const socket of candidateSockets(process.env, process.getuid?.() ?? -1)) if (await identifyEngine(socket)) return socket
  return null
}

/** Debian packages that are missing here: an engine, unless one is there, and the image's builder. */
const missingPackages = (served: boolean): string[] => [
  ...(served || hasProgram("podman") ? [] : ["podman"]),
  ...(served || hasProgram("runc") || hasProgram("crun") ? [] : ["runc"]),
  ...(hasProgram("mmdebstrap") ? [] : ["mmdebstrap"]),
]

const installMissing = async ({ platform, step }: Context): Promise<void> => {
  const missing = missingPackages((await servedEngine()) !== null || process.env.DOCKER_HOST !== undefined)
  if (missing.length > 0 && canInstall(platform))
    await step(`installing ${missing.join(", ")} from ${platform.id}'s packages`, () => aptInstall(missing))
}

const usableImage = (record: SetupRecord): ImageRecord | undefined =>
  record.images.find((image) => image.recipe === recipeDigest() && existsSync(image.archive))

const makeImage = async ({ home, platform, step }: Context): Promise<ImageRecord> => {
  const directory = join(home, "images")
  if (hasProgram("mmdebstrap")) return step("building the runner image", () => buildImage(directory))
  const socket = await servedEngine()
  if (socket === null)
    throw new SetupFailure("there is neither a container engine nor mmdebstrap to build the runner image with", engineAdvice(platform))
  return step("building the runner image with the container engine", () => buildImageWithEngine(socket, directory)).catch(
    (cause: unknown) => {
      throw new SetupFailure(
        `the runner image could not be built: ${cause instanceof Error ? cause.message : cause}`,
        imageAdvice(platform),
      )
    },
  )
}

/** Whether the recorded engine still answers, with the image in it; a Podman of ours is started again. */
const stillGood = async ({ home, step }: Context, engine: EngineRecord, image: ImageRecord): Promise<boolean> => {
  try {
    if (!(await answers(engine.socket))) {
      if (!isOwnService(engine, home)) return false
      await step("starting the container engine again", () => ensurePodmanService(home, engine.runtime))
    }
    await loadImage(engine, image)
    return true
  } catch {
    return false
  }
}

/** Makes sure of both and returns the record with them. Throws `SetupFailure` with the commands to type. */
export const ensureEngineAndImage = async (context: Context, record: SetupRecord): Promise<SetupRecord> => {
  const known = usableImage(record)
  if (known && record.engine && (await stillGood(context, record.engine, known))) return record
  await installMissing(context)
  const image = known ?? (await makeImage(context))
  const images = [image, ...record.images.filter((one) => one.runner_image !== image.runner_image && existsSync(one.archive))]
  const { engine, tried } = await context.step("trying a hardened container", () => discoverEngine(context.home, image))
  for (const line of tried) context.say(`  ${line}`)
  if (engine === null) throw new SetupFailure("no container engine here runs a hardened container", engineAdvice(context.platform))
  return { ...record, engine, images }
}
