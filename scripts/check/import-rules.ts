/**
 * Which part of the orchestrator may import which: the direction of imports of `docs/architecture.md`, as data.
 *
 * `api, cli, reconciler` → `chain, verifier-runner, mediation, timers, store, aacp, ccs` → `state-machine, contract` → `json, types, errors`.
 */

/** Modules that anyone may import: words, errors and strict JSON, without state, input or output. */
const WORDS = ["types", "errors", "json"] as const

/** The pure middle: what a contract is, and what happens when. */
const CORE = [...WORDS, "contract", "state-machine"] as const

/** What the project's own machine has: directories, the container engine, keys of the local chain. */
const LOCAL = ["setup-record", "local-accounts", "config", "failpoints"] as const

/**
 * Parts below `orchestrator/`, each with the parts it may import besides itself; a module directly in `orchestrator/` is a part by its
 * name, `*` is every part but `scripts`. Beside `orchestrator/` there are `deployments`, the contracts' interfaces and addresses, and `scripts`,
 * what a person runs in a checkout.
 */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  types: [],
  errors: [],
  json: ["errors", "types"],

  contract: WORDS,
  "state-machine": [...WORDS, "contract"],

  // Someone else should be able to lift either of these out and use it: they know nothing of AFG, not even of contracts.
  aacp: ["json", "errors"],
  ccs: ["json", "errors"],

  failpoints: [],
  "setup-record": ["errors"],
  "local-accounts": WORDS,
  config: [...WORDS, "setup-record"],

  store: [...CORE, ...LOCAL],
  timers: [...CORE, ...LOCAL, "store"],
  chain: [...CORE, ...LOCAL, "store", "deployments"],
  "verifier-runner": [...CORE, ...LOCAL, "store", "timers", "ccs"],
  mediation: [...CORE, ...LOCAL, "store", "timers", "chain", "verifier-runner"],
  reputation: [...CORE, "store"],

  // A process of its own: what the human confirms must not depend on whom he confirms it for.
  "confirmation-service": [...WORDS, "contract", "aacp", "fund-descriptor", "setup-record"],
  // Where contract and protocol meet: what funding a job is as an action.
  "fund-descriptor": [...WORDS, "contract", "aacp"],

  reconciler: [...CORE, ...LOCAL, "store", "timers", "chain", "verifier-runner", "mediation", "reputation", "aacp", "ccs"],
  api: [
    ...CORE,
    ...LOCAL,
    "fund-descriptor",
    "store",
    "timers",
    "chain",
    "verifier-runner",
    "mediation",
    "reputation",
    "aacp",
    "ccs",
    "reconciler",
    "core",
    "deployments",
  ],
  // Of the API a client has the shapes of its messages and the signing of requests; of the verifier how files are hashed.
  client: [...CORE, ...LOCAL, "aacp", "chain", "api", "verifier-runner", "deployments"],

  // What composes: the store, timers and chain that every role stands on, the roles, and the commands.
  core: [...CORE, ...LOCAL, "store", "timers", "chain", "reconciler", "deployments"],
  "verifier-role": [...CORE, ...LOCAL, "store", "timers", "verifier-runner", "reconciler", "core"],
  orchestrator: ["*"],
  main: ["*"],
  // `afg demo` and `afg dev` start what is in `scripts/`.
  cli: ["*", "scripts"],

  deployments: [],
  scripts: [],
}

/** Parts that decide and do nothing else: of Node and of npm they may import only these. */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  types: ["viem"],
  errors: [],
  json: ["canonicalize", "node:buffer", "node:crypto", "node:util"],
  contract: ["zod", "viem", "viem/utils", "viem/accounts", "node:crypto", "node:util", "@scure/base"],
  "state-machine": ["viem", "node:crypto"],
}
