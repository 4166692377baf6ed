/** The root file system of the runner image, out of Debian's (or Ubuntu's) packages by `mmdebstrap`. */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { AfgError } from "../../errors.ts"
import { hasProgram } from "../host/programs.ts"
import { PACKAGE_LIST, PACKAGES, SOURCE_DATE_EPOCH } from "./recipe.ts"

type Finished = { code: number | null; stdout: string; stderr: string }

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-20_000)
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

/** Nothing of the caller's environment reaches the build, but what the network needs. */
const buildEnvironment = (): NodeJS.ProcessEnv => {
  const kept = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]
  const proxies = Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
  return {
    ...proxies,
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/nonexistent",
    LC_ALL: "C.UTF-8",
    SOURCE_DATE_EPOCH: String(SOURCE_DATE_EPOCH),
  }
}

export type Repositories = { codename: string; lines: string[] }

/**
 * The distribution's own repositories that this host is set up for, from `apt-get indextargets` lines of
 * `CREATED_BY|ORIGIN|CODENAME|COMPONENT|REPO_URI|RELEASE`; foreign repositories stay out of the image.
 */
export const ownRepositories = (targets: string, codename: string): string[] => {
  const wanted = new Map<string, Set<string>>()
  for (const line of targets.split("\n")) {
    const [kind, origin = "", name = "", component = "", uri = "", release = ""] = line.split("|")
    if (kind !== "Packages" || !["Debian", "Ubuntu"].includes(origin)) continue
    if (name !== codename && !name.startsWith(`${codename}-`) && !release.startsWith(codename)) continue
    if (!["main", "universe"].includes(component)) continue
    const key = `deb ${uri.replace(/\/$/, "")} ${release}`
    wanted.set(key, (wanted.get(key) ?? new Set()).add(component))
  }
  return [...wanted].map(([key, components]) => `${key} ${[...components].sort().join(" ")}`).sort()
}

const hostRepositories = async (): Promise<Repositories> => {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "")
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1] ?? "bookworm"
  const format = "$(CREATED_BY)|$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(REPO_URI)|$(RELEASE)"
  const { stdout } = await run("apt-get", ["indextargets", "--format", format], buildEnvironment())
  return { codename, lines: ownRepositories(stdout, codename) }
}

/** `libssl3_3.0.22-1~deb12u2_amd64.deb` → `libssl3=3.0.22-1~deb12u2`; apt writes an epoch's colon as `%3a`. */
export const packageOfArchive = (file: string): string | undefined => {
  const match = /^([a-z0-9][a-z0-9+.-]*)_([^_]+)_[a-z0-9]+\.deb$/.exec(file)
  return match?.[1] && match[2] ? `${match[1]}=${decodeURIComponent(match[2])}` : undefined
}

/** `/bin` and the like are links into `/usr`, on releases whose packages do not bring the links themselves. */
const MERGE_USR = 'set -eu; for d in bin sbin lib lib64; do mkdir -p "$1/usr/$d"; ln -s "usr/$d" "$1/$d"; done'

const COMPILE = [
  "set -eu",
  'modules=$(cd "$1" && ls -d usr/lib/python3* | sed "s|^|/|")',
  // One process and a fixed seed: the caches' bytes must not depend on chance.
  'PYTHONHASHSEED=0 chroot "$1" /usr/bin/python3 -m compileall -q --invalidation-mode unchecked-hash -x "/(test|idlelib|lib2to3|ensurepip)/" $modules',
].join("; ")

/**
 * Writes the root file system to `tar`, with the list of packages in it at {@link PACKAGE_LIST}: packages extracted (no maintainer scripts, hence no state of this machine), Python's modules compiled
 * with hash-based caches that are valid whatever the files' times.
 *
 * Throws `image-build-unavailable` without mmdebstrap, `image-build-failed` when that fails.
 */
export const buildRootfs = async (tar: string): Promise<void> => {
  if (!hasProgram("mmdebstrap")) throw new AfgError("image-build-unavailable", "mmdebstrap is not installed")
  const { codename, lines } = await hostRepositories()
  const args = [
    "--variant=extract",
    "--mode=auto",
    "--format=tar",
    `--include=${PACKAGES.join(",")}`,
    '--aptopt=APT::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    `--setup-hook=${MERGE_USR}`,
    `--extract-hook=ls "$1/var/cache/apt/archives" > "$1/${PACKAGE_LIST}"`,
    `--extract-hook=${COMPILE}`,
    codename,
    tar,
    ...lines,
  ]
  const { code, stderr } = await run("mmdebstrap", args, buildEnvironment())
  if (code !== 0) throw new AfgError("image-build-failed", `mmdebstrap ended with ${code}:\n${stderr.slice(-2000)}`)
}
