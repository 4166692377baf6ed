/**
 * A real container, hardened as checks are, that looks at itself from inside. An engine is accepted by what the
 * container saw, not by what the engine says of itself: Docker, for one, accepts a user namespace and gives none.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { AfgError } from "../../errors.ts"
import type { EngineRecord } from "../../setup-record.ts"
import { RUNNER_UID } from "../image/recipe.ts"
import { demultiplex, engineJson, engineRequest } from "./engine-http.ts"
import { libpodPrefix } from "./engines.ts"

/** How the probe is asked to run; what it finds decides. */
export type ProbeTarget = Pick<EngineRecord, "kind" | "socket" | "runtime" | "ulimits" | "userns">

export type ProbeResult = {
  /** Whether the container has a user namespace of its own. */
  userns: boolean
  seccomp: boolean
  milliseconds: number
}

const MEMORY = 128 * 1024 * 1024
const PROCESSES = 32
const PROBE = readFileSync(fileURLToPath(new URL("probe.py", import.meta.url)), "utf8")
const COMMAND = ["/usr/bin/python3", "-IS", "-c", PROBE]

type Findings = {
  uid: number
  gid: number
  groups: number[]
  capabilities: string[]
  no_new_privileges: string
  seccomp: string
  uid_map: string[]
  root_writable: boolean
  tmp_writable: boolean
  interfaces: string[]
  nofile: number
  processes_bounded: boolean
  memory_bounded: boolean
}

const libpodSpec = ({ ulimits, userns, runtime }: ProbeTarget, image: string) => ({
  image,
  command: COMMAND,
  entrypoint: [],
  user: `${RUNNER_UID}:${RUNNER_UID}`,
  read_only_filesystem: true,
  mounts: [{ destination: "/tmp", type: "tmpfs", options: ["size=16m", "mode=1777", "nosuid", "nodev"] }],
  cap_drop: ["all"],
  no_new_privileges: true,
  netns: { nsmode: "none" },
  ...(runtime === null ? {} : { oci_runtime: runtime }),
  ...(userns?.kind === "libpod-idmap" ? libpodUserns(userns) : {}),
  resource_limits: { memory: { limit: MEMORY, swap: MEMORY }, pids: { limit: PROCESSES }, cpu: { quota: 100_000, period: 100_000 } },
  r_limits: ulimits.map(({ name, soft, hard }) => ({ type: name.toUpperCase(), soft, hard })),
  log_configuration: { driver: "k8s-file" },
})

/** `0:1000000:65536` as the members of libpod's container specification. */
export const libpodUserns = ({ uidmap, gidmap }: { uidmap: string; gidmap: string }) => {
  const map = (text: string) => {
    const [container = 0, host = 0, size = 0] = text.split(":").map(Number)
    return [{ container_id: container, host_id: host, size }]
  }
  return {
    userns: { nsmode: "private" },
    idmappings: { HostUIDMapping: false, HostGIDMapping: false, UIDMap: map(uidmap), GIDMap: map(gidmap) },
  }
}

const dockerSpec = ({ ulimits, runtime }: ProbeTarget, image: string) => ({
  Image: image,
  Cmd: COMMAND,
  Entrypoint: [],
  User: `${RUNNER_UID}:${RUNNER_UID}`,
  HostConfig: {
    NetworkMode: "none",
    ReadonlyRootfs: true,
    Tmpfs: { "/tmp": "size=16m,mode=1777" },
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    Memory: MEMORY,
    MemorySwap: MEMORY,
    PidsLimit: PROCESSES,
    NanoCpus: 1_000_000_000,
    Ulimits: ulimits.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    LogConfig: { Type: "json-file", Config: {} },
    ...(runtime === null ? {} : { Runtime: runtime }),
  },
})

/** Creates, runs, reads and removes one container; returns its standard output. */
const runContainer = async (target: ProbeTarget, image: string): Promise<string> => {
  const podman = target.kind === "podman"
  const base = podman ? `${await libpodPrefix(target.socket)}/containers` : "/containers"
  const spec = podman ? libpodSpec(target, image) : dockerSpec(target, image)
  const created = (await engineJson(target.socket, `${base}/create`, { method: "POST", body: spec })) as { Id: string }
  const one = `${base}/${created.Id}`
  try {
    await engineJson(target.socket, `${one}/start`, { method: "POST" })
    const wait = podman ? "?condition=stopped&interval=10ms" : ""
    const ended = await engineJson(target.socket, `${one}/wait${wait}`, { method: "POST", timeoutMs: 60_000 })
    const logs = await engineRequest(target.socket, `${one}/logs?stdout=true&stderr=true`)
    const { stdout, stderr } = demultiplex(logs.body)
    const code = typeof ended === "number" ? ended : (ended as { StatusCode: number }).StatusCode
    if (code !== 0) throw new AfgError("engine-probe-failed", `the probe ended with ${code}: ${stderr.trim().slice(-500)}`)
    return stdout
  } finally {
    await engineRequest(target.socket, `${one}?force=true&v=true`, { method: "DELETE" })
  }
}

/** What is wrong with a container that saw this; empty when it is as hardened as a check needs. */
export const probeProblems = (found: Findings): string[] => [
  ...(found.uid === RUNNER_UID && found.gid === RUNNER_UID ? [] : [`it runs as ${found.uid}:${found.gid}, not as ${RUNNER_UID}`]),
  ...(found.groups.every((group) => group === RUNNER_UID) ? [] : ["it is in groups of the image's root"]),
  ...(found.capabilities.every((set) => /^0+$/.test(set)) ? [] : ["it has capabilities"]),
  ...(found.no_new_privileges === "1" ? [] : ["it can gain privileges"]),
  ...(found.root_writable ? ["its root file system is writable"] : []),
  ...(found.tmp_writable ? [] : ["its /tmp is not writable"]),
  ...(found.interfaces.every((name) => name === "lo") ? [] : [`it has a network: ${found.interfaces.join(", ")}`]),
  ...(found.processes_bounded ? [] : ["the limit of processes does not hold"]),
  ...(found.memory_bounded ? [] : ["the limit of memory does not hold"]),
]

/** Runs the probe from `image`. Throws `engine-probe-failed` or what the engine answered. */
export const probeEngine = async (target: ProbeTarget, image: string): Promise<ProbeResult> => {
  const started = performance.now()
  const output = await runContainer(target, image)
  const found = JSON.parse(output) as Findings
  const problems = probeProblems(found)
  if (problems.length > 0) throw new AfgError("engine-probe-failed", `a hardened container is not: ${problems.join("; ")}`)
  return {
    userns: found.uid_map.join(" ") !== "0 0 4294967295",
    seccomp: found.seccomp === "2",
    milliseconds: Math.round(performance.now() - started),
  }
}
