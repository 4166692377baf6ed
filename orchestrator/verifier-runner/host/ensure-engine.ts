/** The engine that set-up chose, answering and with its images: what every part that runs containers starts from. */
import { AfgError } from "../../errors.ts"
import { afgHome, type EngineRecord, type ImageRecord, readSetupRecord } from "../../setup-record.ts"
import { loadImage } from "../image/load.ts"
import { isOwnService } from "./discover.ts"
import { answers } from "./engines.ts"
import { ensurePodmanService } from "./podman-service.ts"

type Env = Readonly<Record<string, string | undefined>>

/**
 * The recorded engine, after making sure that it answers. A Podman that set-up serves is started again when it is gone; a ping is
 * all it costs otherwise.
 *
 * Throws `setup-missing`, `engine-missing` (set-up found none), `engine-unreachable` (somebody else's engine is down).
 */
export const ensureEngine = async (env: Env = process.env): Promise<EngineRecord> => {
  const { engine } = readSetupRecord(env)
  if (engine === null) throw new AfgError("engine-missing", "set-up found no container engine: run `npm run setup` and follow what it says")
  if (isOwnService(engine, afgHome(env))) await ensurePodmanService(afgHome(env), engine.runtime)
  else if (!(await answers(engine.socket)))
    throw new AfgError("engine-unreachable", `${engine.kind} does not answer on ${engine.socket}: start it, or run \`npm run setup\``)
  return engine
}

/** A container reference for a pinned `runner_image`, loaded if need be. Throws `image-unknown` for what is not recorded here. */
export const ensureImage = async (engine: EngineRecord, runnerImage: string, env: Env = process.env): Promise<string> => {
  const image = readSetupRecord(env).images.find((one: ImageRecord) => one.runner_image === runnerImage)
  if (!image) throw new AfgError("image-unknown", `no image ${runnerImage} is known here: \`npx afg images load FILE\` adds one`)
  return loadImage(engine, image)
}
