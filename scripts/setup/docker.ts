/** Docker for the test that loads images into it: Debian's packages, unpacked into `.afg/docker` and not installed. */
import { existsSync } from "node:fs"
import { chmod, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Platform } from "../../orchestrator/verifier-runner/host/platform.ts"
import { hasProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { findDocker, unpackedDocker } from "../services/docker.ts"
import { canInstall } from "./apt.ts"
import { spawnQuiet } from "./spawn.mjs"
import type { Step } from "./step.ts"

/** The daemon, what it runs containers with, and the one library that a bare Debian lacks. */
const PACKAGES = ["docker.io", "containerd", "libdevmapper1.02.1"]

const unpack = async (home: string): Promise<void> => {
  // apt downloads as a user of its own, who must be able to write here.
  const work = await mkdtemp(join(tmpdir(), "afg-docker-"))
  await chmod(work, 0o777)
  try {
    await spawnQuiet("apt-get", ["-q", "update"])
    await spawnQuiet("apt-get", ["-q", "download", ...PACKAGES], { cwd: work })
    const archives = (await readdir(work)).filter((file) => file.endsWith(".deb"))
    for (const archive of archives) await spawnQuiet("dpkg-deb", ["-x", join(work, archive), join(work, "root")])
    await rm(unpackedDocker(home), { recursive: true, force: true })
    await spawnQuiet("cp", ["-a", join(work, "root"), `${unpackedDocker(home)}.partial`])
    await rename(`${unpackedDocker(home)}.partial`, unpackedDocker(home))
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Where it cannot be had, the test that wants it says so. */
export const ensureDockerForTests = async ({ home, platform, step }: { home: string; platform: Platform; step: Step }): Promise<void> => {
  if (findDocker() !== null || existsSync(unpackedDocker(home)) || !canInstall(platform) || !hasProgram("dpkg-deb")) return
  await step("unpacking Docker for the test of images in it", () => unpack(home))
}
