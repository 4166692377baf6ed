/** The commands there are. Each lives in its own module and is loaded only when named. */
import type { Command } from "commander"
import type { CliIo, CommandResult } from "./io.ts"

/** Hands an action's result to `afg.ts`, which prints it. */
export type Run = (action: () => Promise<CommandResult>) => Promise<void>

export type CommandModule = {
  /** Adds arguments, options and sub-commands to `command`. Every leaf takes `--json`. */
  build: (command: Command, io: CliIo, run: Run) => void
}

type CommandEntry = { name: string; summary: string; load: () => Promise<CommandModule> }

export const commands: readonly CommandEntry[] = [
  { name: "demo", summary: "worked example A for real, on a local network", load: () => import("./commands/demo.ts") },
  { name: "dev", summary: "the whole system on a local chain, for as long as you like", load: () => import("./commands/dev.ts") },
  { name: "job", summary: "what an agent does: post, sign, fund, submit, watch …", load: () => import("./commands/job.ts") },
  { name: "doctor", summary: "whether everything needed is there and works", load: () => import("./commands/doctor.ts") },
  { name: "images", summary: "the container images that checks run in", load: () => import("./commands/images.ts") },
  { name: "jcs", summary: "the canonical bytes of a JSON document", load: () => import("./commands/jcs.ts") },
  { name: "contract", summary: "job contracts: examples, hash, linter, Terms, signatures", load: () => import("./commands/contract.ts") },
  { name: "check", summary: "a contract's checks on a deliverable, without chain or job", load: () => import("./commands/check.ts") },
  { name: "evidence", summary: "evidence bundles: verify, prove", load: () => import("./commands/evidence.ts") },
  { name: "artifact", summary: "bytes by their hash", load: () => import("./commands/artifact.ts") },
  { name: "aacp", summary: "confirmation evidence: digests, verification, CBOR", load: () => import("./commands/aacp.ts") },
  { name: "cose", summary: "COSE_Sign1 messages", load: () => import("./commands/cose.ts") },
  { name: "confirm", summary: "the confirmation service's administration", load: () => import("./commands/confirm.ts") },
]
