/**
 * What the routes take and answer, as Zod schemas: validation, TypeScript types and the OpenAPI document come from here.
 */
import { z } from "zod"
import "zod-openapi"

/** Signatures of contract wallets have any length; this much is enough for all known ones. */
const MAX_HEX = 2 + 2 * 8_192
const hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "hex with 0x")
  .max(MAX_HEX)
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "32 bytes of hex with 0x")
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "an address")
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower hex digits")
const seconds = z.number().int().nonnegative()

export const signBody = z
  .strictObject({
    role: z.enum(["buyer", "provider", "mediator"]),
    /** EIP-712 signature over Terms. */
    signature: hex,
  })
  .meta({ id: "SignBody", description: "A party's signature over the job's Terms." })

export const confirmationBody = z
  .strictObject({
    evidenceDigest: bytes32.meta({ description: "sha256 of the compact JWS" }),
    notAfter: seconds.meta({ description: "Unix seconds after which bind refuses" }),
    signer: hex.meta({ description: "ERC-7913 signer bytes; their keccak256 is the Terms' confirmer" }),
    signature: hex.meta({ description: "by that signer over the EIP-712 Confirmation" }),
  })
  .meta({ id: "Confirmation" })

export const fundBody = z
  .strictObject({
    /** The compact JWS; may come in the header AACP-Evidence instead. */
    evidence: z.string().optional(),
    confirmation: confirmationBody.optional(),
  })
  .meta({ id: "FundBody", description: "Both members come from the buyer's confirmation service. Empty: asks what to confirm." })

export const fundAuthorizationBody = z
  .strictObject({
    salt: bytes32,
    validAfter: seconds,
    validBefore: seconds,
    signature: hex.meta({ description: "the buyer's ERC-3009 receiveWithAuthorization signature" }),
  })
  .meta({ id: "FundAuthorizationBody" })

export const submitBody = z
  .strictObject({
    n: z.number().int().min(1).max(255),
    uri: z.string().min(1).max(2048),
    sha256,
    signature: hex.meta({ description: "the provider's EIP-712 Submission" }),
    /** For n = 1 on our escrow: the provider's authorization to mark the rail's job submitted. */
    railAuthorization: hex.optional(),
  })
  .meta({ id: "SubmitBody" })

export const concedeBody = z
  .strictObject({
    n: z.number().int().min(0).max(255),
    merkleRoot: bytes32,
    rulingDigest: bytes32,
    signature: hex,
  })
  .meta({ id: "ConcedeBody", description: "The buyer's means RELEASE, the provider's REFUND." })

export const warpBody = z.strictObject({ seconds: z.number().int().min(1).max(315_360_000) }).meta({ id: "WarpBody" })

const finding = z.object({ code: z.string(), path: z.string(), message: z.string() })

export const speccheckAnswer = z
  .object({
    valid: z.boolean().meta({ description: "the document has the contract's shape" }),
    acceptable: z.boolean().meta({ description: "no rule rejects it" }),
    contract_hash: sha256.nullable(),
    checks: z.array(z.object({ check_id: z.string(), type: z.string(), class: z.string() })),
    rejects: z.array(finding),
    warnings: z.array(finding),
  })
  .meta({ id: "Speccheck" })

export const artifactAnswer = z.object({ sha256, uri: z.string(), size: z.number().int() }).meta({ id: "Artifact" })

export const transactionRequest = z
  .object({ to: address, data: hex, value: z.string(), what: z.string() })
  .meta({ id: "TransactionRequest", description: "Unsigned; anyone may send it unless `what` says otherwise." })

const chainTx = hex.nullable()

export const jobAnswer = z
  .object({
    job_id: z.string(),
    contract_hash: sha256,
    terms_hash: bytes32,
    state: z.string(),
    decision: z.string().nullable(),
    cause: z.string().nullable(),
    contract: z.unknown(),
    submissions: z.array(
      z.object({
        n: z.number().int(),
        uri: z.string().nullable(),
        sha256,
        at: z.number(),
        verdict: z.string().optional(),
        merkle_root: bytes32.optional(),
        bundle: z.string().optional(),
      }),
    ),
    deadlines: z.array(z.object({ what: z.string(), at: z.number() })),
    can: z.array(z.object({ who: z.string(), action: z.string(), until: z.number().nullable() })),
    escrow: z.object({ status: z.string(), amount: z.string() }),
    tx: z.object({ bind: chainTx, fund: chainTx, submit: z.array(hex), verdict: z.array(hex), settle: chainTx }),
    next: z.object({ action: z.string(), at: z.number() }).nullable(),
    failures: z.array(z.object({ action: z.string(), code: z.string(), message: z.string() })),
    cursor: z.number().int().meta({ description: "position in the event stream that this answer includes" }),
  })
  .meta({ id: "Job" })

export const fundAnswer = z
  .object({
    status: z.enum(["binding", "bound"]),
    bind: chainTx,
    /** Null until the job is bound: money sent before could only be refunded. */
    funding: z.object({ transactions: z.array(transactionRequest), authorization: z.unknown() }).nullable(),
    job: jobAnswer,
  })
  .meta({ id: "FundAnswer" })

export const actAnswer = z
  .object({
    job: jobAnswer,
    /** The same act as a ready transaction, should this orchestrator fail to relay it. */
    transaction: transactionRequest.nullable(),
    deadline: z.number().nullable(),
  })
  .meta({ id: "ActAnswer" })

export const problemAnswer = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    code: z.string(),
    detail: z.string(),
    recovery: z.string(),
    path: z.string().optional(),
    request_id: z.string(),
  })
  .loose()
  .meta({ id: "Problem" })

export type JobAnswer = z.infer<typeof jobAnswer>
export type FundAnswer = z.infer<typeof fundAnswer>
export type ActAnswer = z.infer<typeof actAnswer>
export type SpeccheckAnswer = z.infer<typeof speccheckAnswer>
export type ArtifactAnswer = z.infer<typeof artifactAnswer>
export type ConfirmationBody = z.infer<typeof confirmationBody>
export type FundAuthorizationBody = z.infer<typeof fundAuthorizationBody>
export type SubmitBody = z.infer<typeof submitBody>
export type ConcedeBody = z.infer<typeof concedeBody>
