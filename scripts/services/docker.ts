/**
 * A Docker daemon of one test's own: private socket, private data, no network set-up. It shows that images keep their digest in
 * Docker too, where the machine's engine is Podman.
 */
import { chmodSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afgHome } from "../../orchestrator/setup-record.ts"
import { findProgram } from "../../orchestrator/verifier-runner/host/programs.ts"
import { startServer, temporaryDirectory } from "./server.ts"

/** Where set-up unpacks Debian's docker.io without installing it. */
export const unpackedDocker = (home: string = afgHome()): string => join(home, "docker")

type Programs = { dockerd: string; path: string; libraries: string }

/** The daemon and where it finds its helpers; null where there is none or it could not run (it wants root). */
export const findDocker = (): Programs | null => {
  if (process.getuid?.() !== 0) return null
  const path = process.env.PATH ?? ""
  const installed = findProgram("dockerd")
  if (installed) return { dockerd: installed, path, libraries: process.env.LD_LIBRARY_PATH ?? "" }
  const root = unpackedDocker()
  const dockerd = join(root, "usr/sbin/dockerd")
  if (!existsSync(dockerd)) return null
  const multiarch = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu"
  return {
    dockerd,
    path: `${join(root, "usr/bin")}:${join(root, "usr/sbin")}:${path}`,
    libraries: `${join(root, "lib", multiarch)}:${join(root, "usr/lib", multiarch)}`,
  }
}

export const startDocker = async (programs: Programs): Promise<{ socket: string; stop: () => Promise<void> }> => {
  const directory = temporaryDirectory("docker")
  chmodSync(directory, 0o700)
  const socket = join(directory, "docker.sock")
  const stop = await startServer({
    name: "dockerd",
    command: programs.dockerd,
    args: [
      "--iptables=false",
      "--ip6tables=false",
      "--bridge=none",
      "--storage-driver=vfs",
      `--data-root=${join(directory, "data")}`,
      `--exec-root=${join(directory, "exec")}`,
      `--pidfile=${join(directory, "pid")}`,
      `--host=unix://${socket}`,
    ],
    env: { ...process.env, PATH: programs.path, LD_LIBRARY_PATH: programs.libraries },
    ready: /API listen on/,
    signal: "SIGTERM",
    directory,
  })
  return { socket, stop: () => stop().finally(() => rmSync(directory, { recursive: true, force: true })) }
}
