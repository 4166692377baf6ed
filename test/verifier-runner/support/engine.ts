/** The machine's own container engine, or the reason why container tests are left out. */
import { type ImageRecord, readSetupRecord } from "../../../orchestrator/setup-record.ts"
import { type Engine, openEngine } from "../../../orchestrator/verifier-runner/index.ts"

export type Containers = { engine: Engine; image: ImageRecord }

/** Null without an engine. Where services are required (CI), that is an error instead. */
export const containers = async (): Promise<Containers | null> => {
  try {
    const engine = await openEngine()
    const [image] = readSetupRecord().images
    if (image === undefined) throw new Error("no runner image is recorded: npm run setup")
    return { engine, image }
  } catch (error) {
    if (process.env.AFG_REQUIRE_SERVICES) throw error
    process.stderr.write(`container tests are left out: ${error instanceof Error ? error.message : error}\n`)
    return null
  }
}
