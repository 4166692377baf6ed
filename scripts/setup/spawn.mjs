// Child processes of set-up. Everything they say goes to standard error: standard output belongs to the command that follows.
import { spawn } from "node:child_process"

/** The last of a long output: where programs say what went wrong. */
const TAIL = 4000

/**
 * Runs a program in silence; when it fails, the error has the end of what it said.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<void>}
 */
export const spawnQuiet = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    const keep = (text) => {
      output = (output + text).slice(-TAIL)
    }
    child.stdout.setEncoding("utf8").on("data", keep)
    child.stderr.setEncoding("utf8").on("data", keep)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args.slice(0, 4).join(" ")} … ended with ${signal ?? code}:\n${output.trim()}`))
    })
  })

/**
 * Runs a program whose own lines the user should see, on standard error; resolves to its exit code.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<number>}
 */
export const spawnLoud = (command, args, options = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", 2, 2] })
    const forward = (signal) => child.kill(signal)
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeListener(name, forward)
      resolve(code ?? (signal === "SIGINT" ? 130 : 143))
    })
  })
