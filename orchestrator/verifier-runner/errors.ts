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
  "git-unavailable": {
    status: 503,
    what: "Git is not installed, or did not finish.",
    recovery: "Install git; look at the size of the repository.",
  },
  "repo-unusable": {
    status: 422,
    what: "A pinned repository is no complete git bundle, or lacks the base commit.",
    recovery: "Make it with `git bundle create repo.bundle --all` in a full clone.",
  },
  "patch-misread": {
    status: 500,
    what: "Git made something else of a patch than our own reading of it. Nothing was run.",
    recovery: "Report it with the patch: this is a fault of ours.",
  },
  "glob-malformed": { status: 422, what: "A pattern is not a glob.", recovery: "Use * ? ** [abc] {a,b} and plain paths." },
  "command-malformed": { status: 422, what: "A command cannot be split into words.", recovery: "Close its quotes." },
  "test-command-unsupported": {
    status: 422,
    what: "A test command has a program or an option that this verifier does not run.",
    recovery: "Use pytest with the options of docs/checks/test_suite_pass.md.",
  },
  "verifier-key-foreign": {
    status: 403,
    what: "The key is neither the contract's verifier nor its fallback.",
    recovery: "Use the key whose address the contract names, or none for a trial run.",
  },
  "bundle-unreadable": {
    status: 400,
    what: "There is no evidence bundle to read.",
    recovery: "Give a directory with bundle.json, its tar, or bundle.json.",
  },
  "label-unknown": {
    status: 404,
    what: "The evidence has no leaf of that label.",
    recovery: "`afg evidence prove BUNDLE` lists the labels.",
  },
} as const satisfies ErrorTable
