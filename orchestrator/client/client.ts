/**
 * What an agent does through the orchestrator, one verb each. Keys never leave the agent: it signs, this sends.
 */
import type {
  ActAnswer,
  ArtifactAnswer,
  ConcedeBody,
  ConfirmationBody,
  FundAnswer,
  FundAuthorizationBody,
  JobAnswer,
  SpeccheckAnswer,
  SubmitBody,
} from "../api/schemas.ts"
import type { Hex } from "../types.ts"
import { folderBlobs } from "../verifier-runner/files/stored.ts"
import type { TreeFile } from "../verifier-runner/files/tree.ts"
import { readEvents, type StreamedEvent } from "./events.ts"
import { createTransport, ProblemError, type RequestOptions, type TransportOptions } from "./transport.ts"

export type { ActAnswer, ArtifactAnswer, FundAnswer, JobAnswer, SpeccheckAnswer, StreamedEvent }

/** Who may be asked to repeat what: see `createTransport`. */
export type ActOptions = Pick<RequestOptions, "idempotencyKey" | "signal">

/** What a buyer takes to its confirmation service: the `request` of a `confirmation_required` answer. */
export type ConfirmationRequest = Record<string, unknown>

export type AfgClient = ReturnType<typeof createAfgClient>

const jobPath = (jobId: string, rest = ""): string => `/v1/jobs/${encodeURIComponent(jobId)}${rest}`

const artifactPath = (sealed: boolean, jobId?: string): string => {
  const query = new URLSearchParams({ ...(sealed ? { sealed: "true" } : {}), ...(jobId === undefined ? {} : { job: jobId }) }).toString()
  return query === "" ? "/v1/artifacts" : `/v1/artifacts?${query}`
}

/** A client for one agent. Answers are the API's JSON; refusals are thrown as `ProblemError` with their code. */
export const createAfgClient = (options: TransportOptions) => {
  const transport = createTransport(options)
  const post = <T>(path: string, body: unknown, act: ActOptions = {}): Promise<T> =>
    transport.json<T>(path, { method: "POST", body, ...act })

  const getJob = (jobId: string, signal?: AbortSignal): Promise<JobAnswer> =>
    transport.json<JobAnswer>(jobPath(jobId), signal === undefined ? {} : { signal })

  /** The job's events from `cursor` on, for ever; survives restarts of the orchestrator. */
  const events = (jobId: string, cursor = 0, signal?: AbortSignal): AsyncGenerator<StreamedEvent> =>
    readEvents(transport, jobPath(jobId, "/events"), cursor, signal)

  /** The first state of the job that satisfies `wanted`, awaited on its event stream. */
  const until = async (jobId: string, wanted: (job: JobAnswer) => boolean, signal?: AbortSignal): Promise<JobAnswer> => {
    const stop = new AbortController()
    const joined = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
    try {
      let job = await getJob(jobId, joined)
      if (wanted(job)) return job
      for await (const _event of events(jobId, job.cursor, joined)) {
        job = await getJob(jobId, joined)
        if (wanted(job)) return job
      }
      throw new Error("the event stream has no end")
    } finally {
      stop.abort()
    }
  }

  return {
    speccheck: (contract: unknown): Promise<SpeccheckAnswer> => post("/v1/speccheck", contract),

    /** Stores bytes under their hash. Sealed bytes are never served back. `jobId`: a deliverable of that job, as large as its contract allows. */
    putArtifact: (bytes: Uint8Array, sealed = false, jobId?: string): Promise<ArtifactAnswer> => post(artifactPath(sealed, jobId), bytes),

    /** Stores a folder so that it is found by its tree hash: its files, then its manifest. Paths as they are hashed. */
    putFolder: async (files: readonly TreeFile[], sealed = false): Promise<ArtifactAnswer> => {
      let last: ArtifactAnswer | undefined
      for (const bytes of folderBlobs(files)) last = await post<ArtifactAnswer>(artifactPath(sealed), bytes)
      if (last === undefined) throw new Error("a folder has a manifest")
      return last
    },

    getArtifact: async (sha256: string): Promise<Uint8Array> =>
      new Uint8Array(await (await transport.raw(`/v1/artifacts/${sha256}`)).arrayBuffer()),

    postJob: (contract: unknown, act?: ActOptions): Promise<JobAnswer> => post("/v1/jobs", contract, act),

    sign: (jobId: string, role: "buyer" | "provider" | "mediator", signature: Hex, act?: ActOptions): Promise<JobAnswer> =>
      post(jobPath(jobId, "/sign"), { role, signature }, act),

    /** What the buyer's human must confirm. */
    confirmationRequest: async (jobId: string): Promise<ConfirmationRequest> => {
      try {
        await post(jobPath(jobId, "/fund"), {})
      } catch (error) {
        if (error instanceof ProblemError && error.code === "confirmation_required") return error.problem.request as ConfirmationRequest
        throw error
      }
      throw new ProblemError(500, { code: "api-answer-malformed", detail: "fund was accepted without evidence" })
    },

    /** Presents the evidence. While the bind is under way the same call with the same key says how it stands. */
    fund: (jobId: string, evidence: string, confirmation: ConfirmationBody | undefined, act?: ActOptions): Promise<FundAnswer> =>
      transport.json(jobPath(jobId, "/fund"), {
        method: "POST",
        body: confirmation === undefined ? {} : { confirmation },
        headers: { "AACP-Evidence": evidence },
        ...act,
      }),

    authorizeFunding: (jobId: string, body: FundAuthorizationBody, act?: ActOptions): Promise<ActAnswer> =>
      post(jobPath(jobId, "/fund/authorization"), body, act),

    submit: (jobId: string, body: SubmitBody, act?: ActOptions): Promise<ActAnswer> => post(jobPath(jobId, "/submit"), body, act),

    concede: (jobId: string, body: ConcedeBody, act?: ActOptions): Promise<ActAnswer> => post(jobPath(jobId, "/concede"), body, act),

    getJob,
    events,
    until,
  }
}
