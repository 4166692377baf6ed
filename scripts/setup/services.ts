/** The servers that some tests want: Redis and PostgreSQL from the distribution's packages, installed and not started. */
import { findPostgres, findRedis } from "../../orchestrator/cli/doctor/servers.ts"
import { servicesAdvice } from "../../orchestrator/verifier-runner/host/advice.ts"
import type { Platform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { aptInstall, canInstall } from "./apt.ts"
import type { Say, Step } from "./step.ts"

/** Installs what is missing where it can; elsewhere says how to get it. Tests without a server leave their suites out and say so. */
export const ensureTestServices = async ({ platform, step, say }: { platform: Platform; step: Step; say: Say }): Promise<void> => {
  const missing = [...(findRedis() === null ? ["redis-server"] : []), ...(findPostgres() === null ? ["postgresql"] : [])]
  if (missing.length === 0) return
  if (canInstall(platform)) await step(`installing ${missing.join(", ")} from ${platform.id}'s packages`, () => aptInstall(missing))
  else say(`tests that need ${missing.join(" and ")} will be left out. To have them:\n${servicesAdvice(platform)}`)
}
