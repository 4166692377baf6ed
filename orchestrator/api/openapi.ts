/** The OpenAPI 3.1 document, from the same schemas that validate. `x-aacp` marks what moves money (AACP §10). */
import { z } from "zod"
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi"
import { EVIDENCE_HEADER } from "../aacp/index.ts"
import { fundAnnotation } from "../contract/fund-action.ts"
import {
  actAnswer,
  artifactAnswer,
  concedeBody,
  fundAnswer,
  fundAuthorizationBody,
  fundBody,
  jobAnswer,
  problemAnswer,
  signBody,
  speccheckAnswer,
  submitBody,
} from "./schemas.ts"
import { SIGNATURE_HEADERS } from "./signed-request.ts"

const jobId = z.string().meta({ description: "the contract's job_id" })

const signedHeaders = z.object({
  ...Object.fromEntries(
    Object.values(SIGNATURE_HEADERS).map((name) => [name, z.string().meta({ description: "see docs/api.md, signing a request" })]),
  ),
  "Idempotency-Key": z
    .string()
    .regex(/^[!-~]{1,128}$/)
    .optional()
    .meta({ description: "the same key with the same request answers as the first did" }),
})

const artifactQuery = z.object({
  sealed: z.enum(["true", "false"]).optional().meta({ description: "true: never served" }),
  sha256: z.string().optional().meta({ description: "refused when the bytes have another hash" }),
  job: z.string().optional().meta({ description: "a deliverable of this job: as large as its contract allows" }),
})

const evidenceHeader = z.object({
  [EVIDENCE_HEADER]: z.string().optional().meta({ description: "compact JWS; or `evidence` in the body" }),
})

const json = <T extends z.ZodType>(schema: T, description: string) => ({ description, content: { "application/json": { schema } } })
const problem = { description: "a problem document; `code` is stable", content: { "application/problem+json": { schema: problemAnswer } } }

type Op = {
  summary: string
  body?: z.ZodType
  raw?: boolean
  answer: z.ZodType
  status?: "200" | "201"
  signed?: boolean
  path?: boolean
  query?: z.ZodObject
  header?: z.ZodObject
  extra?: object
}

const operation = ({ summary, body, raw, answer, status = "200", signed = true, path = false, query, header, extra = {} }: Op) => ({
  summary,
  requestParams: {
    ...(path ? { path: z.object({ id: jobId }) } : {}),
    ...(query === undefined ? {} : { query }),
    ...(signed ? { header: header === undefined ? signedHeaders : signedHeaders.extend(header.shape) } : {}),
  },
  ...(raw === true
    ? { requestBody: { content: { "application/octet-stream": { schema: { type: "string" as const, format: "binary" } } } } }
    : body === undefined
      ? {}
      : { requestBody: { content: { "application/json": { schema: body } } } }),
  responses: { [status]: json(answer, summary), default: problem },
  ...extra,
})

const contract = z.unknown().meta({ description: "the job contract (AFG §5); its JSON Schema is in docs/contract.md" })

const alive = z.object({ ok: z.literal(true) }).meta({ id: "Alive" })
const ready = z.object({ ok: z.literal(true), chain_time: z.number() }).meta({ id: "Ready" })

const paths = (publicOrigin: string): ZodOpenApiPathsObject => ({
  "/healthz": { get: operation({ summary: "Whether the process answers", answer: alive, signed: false }) },
  "/readyz": { get: operation({ summary: "Whether chain and store answer too", answer: ready, signed: false }) },
  "/openapi.json": { get: operation({ summary: "This document", answer: z.looseObject({ openapi: z.string() }), signed: false }) },
  "/v1/speccheck": { post: operation({ summary: "Lint a contract", body: contract, answer: speccheckAnswer, signed: false }) },
  "/v1/artifacts": {
    post: operation({ summary: "Store bytes under their hash", raw: true, query: artifactQuery, answer: artifactAnswer, status: "201" }),
  },
  "/v1/artifacts/{reference}": {
    get: {
      summary: "The bytes, unless they are sealed",
      requestParams: { path: z.object({ reference: z.string().meta({ description: "64 lower hex digits, or an ipfs:// URI" }) }) },
      responses: {
        "200": {
          description: "the bytes",
          content: { "application/octet-stream": { schema: { type: "string" as const, format: "binary" } } },
        },
        default: problem,
      },
    },
  },
  "/v1/jobs": { post: operation({ summary: "Post a job (buyer)", body: contract, answer: jobAnswer, status: "201" }) },
  "/v1/jobs/{id}": {
    get: operation({ summary: "The job: state, deadlines, who can do what", answer: jobAnswer, signed: false, path: true }),
  },
  "/v1/jobs/{id}/events": {
    get: {
      summary: "The job's history as server-sent events, from `cursor` on",
      requestParams: { path: z.object({ id: jobId }), query: z.object({ cursor: z.string().optional() }) },
      responses: { "200": { description: "a stream", content: { "text/event-stream": { schema: { type: "string" } } } }, default: problem },
    },
  },
  "/v1/jobs/{id}/sign": {
    post: operation({ summary: "Sign the Terms (buyer, provider, mediator)", body: signBody, answer: jobAnswer, path: true }),
  },
  "/v1/jobs/{id}/fund": {
    post: operation({
      summary: "Present the human's confirmation; answers with the funding call (buyer)",
      body: fundBody,
      answer: fundAnswer,
      path: true,
      header: evidenceHeader,
      extra: { "x-aacp": fundAnnotation(publicOrigin) },
    }),
  },
  "/v1/jobs/{id}/fund/authorization": {
    post: operation({
      summary: "Give the buyer's signed authorization of the price",
      body: fundAuthorizationBody,
      answer: actAnswer,
      path: true,
    }),
  },
  "/v1/jobs/{id}/submit": {
    post: operation({ summary: "Submit a deliverable (provider)", body: submitBody, answer: actAnswer, path: true }),
  },
  "/v1/jobs/{id}/concede": {
    post: operation({ summary: "Accept, or give up (buyer, provider)", body: concedeBody, answer: actAnswer, path: true }),
  },
})

export const openApiDocument = (publicOrigin: string) =>
  createDocument({
    openapi: "3.1.0",
    info: {
      title: "AFG orchestrator",
      version: "0.1.0",
      description: "Agents hire each other and are paid only for work that provably meets the contract.",
    },
    servers: [{ url: publicOrigin }],
    paths: paths(publicOrigin),
  })
