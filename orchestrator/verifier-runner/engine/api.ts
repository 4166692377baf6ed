/** The few calls that a run makes, on Podman's own API or Docker's. */
import type { Readable } from "node:stream"
import { AfgError } from "../../errors.ts"
import type { EngineRecord } from "../../setup-record.ts"
import { engineJson, engineRequest } from "../host/engine-http.ts"
import { libpodPrefix } from "../host/engines.ts"
import { OWNER_LABEL } from "./identity.ts"
import { dockerSpec, INPUT_PATH, libpodSpec, type SpecInput } from "./spec.ts"

export type ContainerState = { running: boolean; pid: number; exit_code: number; oom_killed: boolean }
type Leftover = { id: string; owner: string }

export type EngineApi = {
  createVolume: (name: string, owner: string) => Promise<void>
  /** Creates the container and fills its volume. */
  create: (input: SpecInput, archive: Readable) => Promise<string>
  attachPath: (id: string) => string
  start: (id: string) => Promise<void>
  inspect: (id: string) => Promise<ContainerState>
  /** Returns when the container is gone; one that is not there is gone. */
  remove: (id: string) => Promise<void>
  removeVolume: (name: string) => Promise<void>
  leftovers: () => Promise<{ containers: Leftover[]; volumes: Leftover[] }>
}

const GONE = 404
const REMOVAL_ATTEMPTS = 20

/** Engines refuse to remove what is just ending; asking again is what their own tools do. */
const insist = async (socket: string, path: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const { status, body } = await engineRequest(socket, path, { method: "DELETE", timeoutMs: 60_000 })
    if (status < 300 || status === GONE) return
    if (attempt === REMOVAL_ATTEMPTS)
      throw new AfgError("engine-refused", `DELETE ${path.split("?")[0]}: ${status} ${body.toString("utf8").trim()}`)
    await new Promise((resolve) => setTimeout(resolve, 25 * attempt))
  }
}

type Labels = Record<string, string> | null | undefined
const owned = (id: string, labels: Labels): Leftover[] => {
  const owner = labels?.[OWNER_LABEL]
  return owner === undefined ? [] : [{ id, owner }]
}

const filters = encodeURIComponent(JSON.stringify({ label: [OWNER_LABEL] }))

/** Podman fills a created container's volume itself, read-only or not; on Docker a helper that is never started takes the files in. */
export const engineApi = async (engine: EngineRecord): Promise<EngineApi> => {
  const { socket } = engine
  const podman = engine.kind === "podman"
  const prefix = podman ? await libpodPrefix(socket) : ""
  const containers = `${prefix}/containers`
  const volumes = `${prefix}/volumes`
  const post = (path: string, body?: unknown) => engineJson(socket, path, { method: "POST", body, timeoutMs: 60_000 })
  const nameOfCreated = (created: unknown): string => (created as { Id: string }).Id
  const fill = (id: string, archive: Readable) =>
    engineJson(socket, `${containers}/${id}/archive?path=${encodeURIComponent(INPUT_PATH)}`, {
      method: "PUT",
      stream: archive,
      timeoutMs: 300_000,
    })
  const remove = (id: string) => insist(socket, `${containers}/${id}?force=true&v=true${podman ? "&timeout=0" : ""}`)

  const createOnDocker = async (input: SpecInput, archive: Readable): Promise<string> => {
    const helper = nameOfCreated(
      await post(`${containers}/create`, {
        Image: input.image,
        Cmd: ["/nonexistent"],
        Labels: { [OWNER_LABEL]: input.owner },
        HostConfig: {
          NetworkMode: "none",
          Mounts: [{ Type: "volume", Source: input.name, Target: INPUT_PATH, VolumeOptions: { NoCopy: true } }],
        },
      }),
    )
    try {
      await fill(helper, archive)
    } finally {
      await remove(helper)
    }
    return nameOfCreated(await post(`${containers}/create?name=${input.name}`, dockerSpec(input)))
  }

  const createOnPodman = async (input: SpecInput, archive: Readable): Promise<string> => {
    const id = nameOfCreated(await post(`${containers}/create`, libpodSpec(input)))
    await fill(id, archive)
    return id
  }

  return {
    createVolume: async (name, owner) => {
      const labels = { [OWNER_LABEL]: owner }
      await post(`${volumes}/create`, podman ? { Name: name, Label: labels } : { Name: name, Labels: labels })
    },
    create: podman ? createOnPodman : createOnDocker,
    attachPath: (id) => `${containers}/${id}/attach?stream=true&stdout=true&stderr=true&stdin=false&logs=false`,
    start: async (id) => {
      await post(`${containers}/${id}/start`)
    },
    inspect: async (id) => {
      const { State } = (await engineJson(socket, `${containers}/${id}/json`)) as {
        State: { Running: boolean; Pid: number; ExitCode: number; OOMKilled?: boolean }
      }
      return { running: State.Running, pid: State.Pid, exit_code: State.ExitCode, oom_killed: State.OOMKilled === true }
    },
    remove,
    removeVolume: (name) => insist(socket, `${volumes}/${name}`),
    leftovers: async () => {
      const found = ((await engineJson(socket, `${containers}/json?all=true&filters=${filters}`)) ?? []) as { Id: string; Labels: Labels }[]
      const listed = await engineJson(socket, podman ? `${volumes}/json?filters=${filters}` : `${volumes}?filters=${filters}`)
      const stores = (podman ? listed : (listed as { Volumes: unknown }).Volumes) as { Name: string; Labels: Labels }[] | null
      return {
        containers: found.flatMap(({ Id, Labels }) => owned(Id, Labels)),
        volumes: (stores ?? []).flatMap(({ Name, Labels }) => owned(Name, Labels)),
      }
    },
  }
}
