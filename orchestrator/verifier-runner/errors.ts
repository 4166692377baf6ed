/** Codes of running checks. Those of the engine and its images are in `host/errors.ts`. */
import type { ErrorTable } from "../errors.ts"

export const ERRORS = {
  "container-lost": {
    status: 502,
    what: "A container ended without its first process having said how its command did.",
    recovery: "Ours, not the deliverable's: run again; `npx afg doctor` tells whether containers work.",
  },
  "run-aborted": { status: 503, what: "A run was called off before its end.", recovery: "Run again." },
  "tree-conflict": {
    status: 422,
    what: "Two sets of files cannot be laid over one another: a file of one is a folder of the other.",
    recovery: "Rename one of them.",
  },
  "folder-unreadable": {
    status: 422,
    what: "A folder or its archive holds something that is neither file, folder nor link, or a path that leaves it.",
    recovery: "Archive plain files with relative paths.",
  },
  "folder-too-large": { status: 413, what: "A folder has more files or bytes than a check takes.", recovery: "Pin a smaller folder." },
  "glob-malformed": { status: 422, what: "A pattern is not a glob.", recovery: "Use * ? ** [abc] {a,b} and plain paths." },
} as const satisfies ErrorTable
