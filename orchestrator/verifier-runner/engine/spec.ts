/** The same hardened container in the two engines' words. */
import type { EngineRecord } from "../../setup-record.ts"
import { libpodUserns } from "../host/probe.ts"
import { HOLD_PATH, RUNNER_UID } from "../image/recipe.ts"
import { OWNER_LABEL } from "./identity.ts"
import type { ContainerRun, Limits } from "./types.ts"

export const INPUT_PATH = "/in"
export const SCRATCH_PATH = "/tmp"
const SHARED_MEMORY_BYTES = 16 * 1024 ** 2
const CPU_PERIOD = 100_000

export type SpecInput = {
  engine: EngineRecord
  /** What the engine calls the image. */
  image: string
  name: string
  owner: string
  run: ContainerRun
  /** Told to the holding first process only. */
  token: string
}

type Ulimit = { name: string; soft: number; hard: number }

/** Our limits, but never above those that set-up found the host to allow. */
const ulimits = (engine: EngineRecord, limits: Limits): Ulimit[] => {
  const wanted = [
    { name: "core", most: 0 },
    { name: "fsize", most: limits.file_bytes },
    { name: "nofile", most: limits.open_files },
  ].map(({ name, most }) => {
    const allowed = engine.ulimits.find((one) => one.name === name)?.hard ?? most
    const value = Math.min(most, allowed)
    return { name, soft: value, hard: value }
  })
  return [...wanted, ...engine.ulimits.filter(({ name }) => !wanted.some((one) => one.name === name))]
}

/** Nothing of ours but the hold's token, which it takes out before it runs the command. */
const environment = (token: string): Record<string, string> => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: SCRATCH_PATH,
  TMPDIR: SCRATCH_PATH,
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
  PYTHONHASHSEED: "0",
  PYTHONDONTWRITEBYTECODE: "1",
  AFG_HOLD_TOKEN: token,
})

/** Told to the kernel before the command runs: when memory ends, let it be the command and not the process that reports how it went. */
const SACRIFICE = 'echo 500 >/proc/self/oom_score_adj; exec "$@"'

const command = (run: ContainerRun): string[] => [HOLD_PATH, "/bin/sh", "-c", SACRIFICE, "sh", ...run.command]
const USER = `${RUNNER_UID}:${RUNNER_UID}`
const HOSTNAME = "runner"

/** Podman's own API: user namespaces by explicit map. */
export const libpodSpec = ({ engine, image, name, owner, run, token }: SpecInput): Record<string, unknown> => ({
  name,
  image,
  entrypoint: [],
  command: command(run),
  env: environment(token),
  user: USER,
  work_dir: SCRATCH_PATH,
  hostname: HOSTNAME,
  labels: { [OWNER_LABEL]: owner },
  read_only_filesystem: true,
  volumes: [{ Name: name, Dest: INPUT_PATH, Options: ["ro", "nosuid", "nodev"] }],
  mounts: [
    {
      destination: SCRATCH_PATH,
      type: "tmpfs",
      source: "tmpfs",
      options: [`size=${run.limits.scratch_bytes}`, "mode=1777", "nosuid", "nodev", "exec"],
    },
  ],
  shm_size: SHARED_MEMORY_BYTES,
  cap_drop: ["all"],
  no_new_privileges: true,
  netns: { nsmode: "none" },
  ipcns: { nsmode: "private" },
  ...(engine.runtime === null ? {} : { oci_runtime: engine.runtime }),
  ...(engine.userns?.kind === "libpod-idmap" ? libpodUserns(engine.userns) : {}),
  resource_limits: {
    memory: { limit: run.limits.memory_bytes, swap: run.limits.memory_bytes },
    pids: { limit: run.limits.processes },
    cpu: { period: CPU_PERIOD, quota: Math.round(run.limits.cpus * CPU_PERIOD) },
  },
  r_limits: ulimits(engine, run.limits).map(({ name: limit, soft, hard }) => ({ type: limit.toUpperCase(), soft, hard })),
  log_configuration: { driver: "none" },
  image_volume_mode: "ignore",
  restart_policy: "no",
})

/** Docker's API, which Docker Engine and others speak. */
export const dockerSpec = ({ engine, image, owner, name, run, token }: SpecInput): Record<string, unknown> => ({
  Image: image,
  Entrypoint: [],
  Cmd: command(run),
  Env: Object.entries(environment(token)).map(([key, value]) => `${key}=${value}`),
  User: USER,
  WorkingDir: SCRATCH_PATH,
  Hostname: HOSTNAME,
  Labels: { [OWNER_LABEL]: owner },
  AttachStdout: true,
  AttachStderr: true,
  NetworkDisabled: true,
  HostConfig: {
    NetworkMode: "none",
    ReadonlyRootfs: true,
    Mounts: [{ Type: "volume", Source: name, Target: INPUT_PATH, ReadOnly: true, VolumeOptions: { NoCopy: true } }],
    Tmpfs: { [SCRATCH_PATH]: `rw,nosuid,nodev,exec,size=${run.limits.scratch_bytes},mode=1777` },
    ShmSize: SHARED_MEMORY_BYTES,
    IpcMode: "private",
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    Memory: run.limits.memory_bytes,
    MemorySwap: run.limits.memory_bytes,
    PidsLimit: run.limits.processes,
    CpuPeriod: CPU_PERIOD,
    CpuQuota: Math.round(run.limits.cpus * CPU_PERIOD),
    Ulimits: ulimits(engine, run.limits).map(({ name: limit, soft, hard }) => ({ Name: limit, Soft: soft, Hard: hard })),
    LogConfig: { Type: "none", Config: {} },
    RestartPolicy: { Name: "no" },
    ...(engine.runtime === null ? {} : { Runtime: engine.runtime }),
  },
})
