/** Codes of the command line itself: how a command was called, and what it was given to read. */
import type { ErrorTable } from "../errors.ts"

export const ERRORS = {
  usage: {
    status: 400,
    what: "The command was called with an unknown, missing or malformed argument or option.",
    recovery: "`--help` at the same level lists what there is.",
  },
  "file-unreadable": {
    status: 400,
    what: "A file that was named does not exist, is a directory or cannot be read.",
    recovery: "Check the path and its permissions; `-` is standard input.",
  },
  "time-malformed": {
    status: 400,
    what: "A time is neither RFC 3339 nor Unix seconds.",
    recovery: "Write 2026-01-31T12:00:00Z or 1769860800.",
  },
  "margin-malformed": { status: 400, what: "A margin is not a whole number of seconds.", recovery: "Write seconds, such as 300." },
  "hex-malformed": {
    status: 400,
    what: "A hexadecimal argument has other characters, or an odd number of digits.",
    recovery: "Write pairs of digits 0-9 and a-f, with or without 0x.",
  },
  "inputs-unreadable": {
    status: 400,
    what: "The directory of inputs does not exist, is no directory or cannot be read.",
    recovery: "Name a directory that holds files or folders named after the inputs, or by sha256.",
  },
  "validators-malformed": {
    status: 400,
    what: "The list of validators is not a JSON list of {validator, versions}.",
    recovery: 'Write [{"validator":"…","versions":["…"]}].',
  },
  "root-mismatch": {
    status: 422,
    what: "The Merkle root of what is in a bundle is not the root that the bundle names, so nothing can be proved from it.",
    recovery: "Fetch the bundle again; `afg evidence verify` says what differs.",
  },
} as const satisfies ErrorTable
