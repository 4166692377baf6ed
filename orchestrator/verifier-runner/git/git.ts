/**
 * Git's plumbing, on content of strangers: a bare repository of our own, a clean environment, no configuration, hooks, filters, attributes,
 * remotes or work tree. Nothing that a bundle or a patch contains is ever executed or written as a file.
 */
import { spawn } from "node:child_process"
import { AfgError } from "../../errors.ts"

/** Programs are found where the system has them; nothing else of our environment reaches git. */
const environment = (gitDir: string, index: string | undefined): NodeJS.ProcessEnv => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  TZ: "UTC",
  GIT_DIR: gitDir,
  GIT_CEILING_DIRECTORIES: "/",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
})

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.fsmonitor=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.autocrlf=false",
  "core.useReplaceRefs=false",
  "core.multiPackIndex=false",
  "core.commitGraph=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "pack.threads=1",
  "transfer.fsckObjects=true",
  "fetch.fsckObjects=true",
].flatMap((setting) => ["-c", setting])

const TIMEOUT_MS = 60_000
const MOST_OUTPUT = 1024 ** 3
const MOST_MESSAGE = 4_000

export type GitOptions = { gitDir: string; index?: string; input?: Uint8Array }
export type GitResult = { code: number; stdout: Buffer; stderr: string }

/** Runs one git command to its end. Throws `git-unavailable` (not installed, out of time, too much output). */
export const runGit = (args: readonly string[], { gitDir, index, input }: GitOptions): Promise<GitResult> =>
  new Promise((resolve, reject) => {
    const unavailable = (why: string, cause?: unknown) => reject(new AfgError("git-unavailable", `git ${args[0]}: ${why}`, { cause }))
    const child = spawn("git", ["--no-pager", ...SETTINGS, ...args], { cwd: "/", env: environment(gitDir, index), stdio: "pipe" })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      unavailable(`not done in ${TIMEOUT_MS / 1000} s`)
    }, TIMEOUT_MS)
    const output: Buffer[] = []
    let size = 0
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_OUTPUT) {
        child.kill("SIGKILL")
        unavailable("too much output")
      } else output.push(chunk)
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < MOST_MESSAGE) stderr += text
    })
    // What git does not read to its end is not an error of ours.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.once("error", (cause) => {
      clearTimeout(timer)
      unavailable(cause.message, cause)
    })
    child.once("close", (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? -1, stdout: Buffer.concat(output), stderr: stderr.slice(0, MOST_MESSAGE) })
    })
  })
