/** System packages on Debian and Ubuntu, when we may install them. */
import { existsSync } from "node:fs"
import { chmod, rm, writeFile } from "node:fs/promises"
import type { Platform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { findProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { spawnQuiet } from "./spawn.mjs"

export const canInstall = (platform: Platform): boolean => platform.debian && platform.root && findProgram("apt-get") !== null

/** Asked by Debian's packages before they start a service; 101 means no. */
const POLICY = "/usr/sbin/policy-rc.d"

/** While `work` runs, newly installed packages start no service: what runs on this machine is not ours to decide. */
const withoutStartingServices = async (work: () => Promise<void>): Promise<void> => {
  if (existsSync(POLICY)) return work()
  await writeFile(POLICY, "#!/bin/sh\nexit 101\n")
  await chmod(POLICY, 0o755)
  try {
    await work()
  } finally {
    await rm(POLICY, { force: true })
  }
}

const apt = (...args: string[]): Promise<void> =>
  spawnQuiet("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" },
  })

/** Installs packages without recommended ones; package lists are brought up to date first, since a bare machine has none. */
export const aptInstall = async (packages: readonly string[]): Promise<void> =>
  withoutStartingServices(async () => {
    await apt("update")
    await apt("install", "--no-install-recommends", ...packages)
  })
