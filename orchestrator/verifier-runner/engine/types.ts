/** One hardened container run: what goes in, what comes out. */
import type { TreeFile } from "../files/tree.ts"

/** What a container may use. Bytes, counts, cores. */
export type Limits = {
  /** Memory, the scratch file system included; swap is none. */
  memory_bytes: number
  processes: number
  cpus: number
  /** `/tmp`, the only place that can be written. */
  scratch_bytes: number
  /** The largest file. */
  file_bytes: number
  open_files: number
  /** Standard output and error together; more ends the run. */
  output_bytes: number
}

export const DEFAULT_LIMITS: Limits = {
  memory_bytes: 1024 ** 3,
  processes: 128,
  cpus: 1,
  scratch_bytes: 256 * 1024 ** 2,
  file_bytes: 128 * 1024 ** 2,
  open_files: 1024,
  output_bytes: 64 * 1024 ** 2,
}

export type ContainerRun = {
  /** OCI config digest of the image, `sha256:…`. */
  image: string
  /** Program and arguments, no shell. */
  command: readonly string[]
  /** Laid down read-only at `/in`, owned by root. */
  files: readonly TreeFile[]
  limits: Limits
  /** Wall clock from the container's start. */
  timeout_s: number
  signal?: AbortSignal | undefined
}

/**
 * How a run ended. `exited`: the command ended, by itself or by a signal from within the container. `timeout` and `output-limit`: we ended it.
 * A container that is gone without its first process having said how the command ended is no outcome but a thrown `container-lost`.
 */
export type RunEnd = { kind: "exited"; code: number } | { kind: "timeout" } | { kind: "output-limit" }

export type RunOutcome = {
  end: RunEnd
  /** The kernel killed something in the container for want of memory: by the cgroup's own count, not by an exit code. */
  out_of_memory: boolean
  stdout: Buffer
  stderr: Buffer
  milliseconds: number
}

/** What the runner asks of a container engine. */
export type Engine = {
  /** Throws `engine-…`, `image-…`, `container-lost`, `run-aborted`: never because of what ran inside. */
  run: (run: ContainerRun) => Promise<RunOutcome>
  /** Removes containers and volumes whose runner is gone. Returns how many. */
  sweep: () => Promise<number>
  /** Calls off what still runs and waits until it is removed. */
  close: () => Promise<void>
  /** `podman 4.3.1 runc`, for the evidence's log. */
  readonly description: string
}
