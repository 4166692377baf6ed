/** System packages on Debian and Ubuntu, when we may install them. */
import { existsSync, readFileSync } from "node:fs"
import { chmod, rm, writeFile } from "node:fs/promises"
import { findProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { spawnQuiet } from "./spawn.mjs"

export type Platform = {
  /** As in `os-release`: `debian`, `ubuntu`, `fedora`; `darwin` on a Mac. */
  id: string
  /** Whether it is Debian or derived from it. */
  debian: boolean
  root: boolean
}

/** The host's platform, from the text of `/etc/os-release`. */
export const platformOf = (osRelease: string, root: boolean, name: string = process.platform): Platform => {
  if (name !== "linux") return { id: name, debian: false, root }
  const value = (key: string) => new RegExp(`^${key}="?([^"\n]*)"?$`, "m").exec(osRelease)?.[1] ?? ""
  const id = value("ID") || "linux"
  return {
    id,
    debian: ["debian", "ubuntu", ...value("ID_LIKE").split(" ")].some((one) => one === id) || value("ID_LIKE").includes("debian"),
    root,
  }
}

export const hostPlatform = (): Platform => {
  const text = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : ""
  return platformOf(text, process.getuid?.() === 0)
}

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
