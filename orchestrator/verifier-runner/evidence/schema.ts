/** The evidence bundle (AFG §8.3) and the check results in it (§8.1). Unknown members are refused: they would be under no leaf's meaning. */
import { z } from "zod"
import type { JsonValue } from "../../json/index.ts"
import type { Hex, Sha256 } from "../../types.ts"

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "sha256: 64 lower-case hex digits")
  .transform((text) => text as Sha256)
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${digits}}$`), `0x and ${digits} lower-case hex digits`)
    .transform((text) => text as Hex)
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "a time like 2026-09-25T20:00:00Z")
const hashes = z.record(z.string().regex(/^[A-Za-z0-9_.@+-]{1,128}$/), sha256)
const json: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>

export const CHECK_STATUSES = ["pass", "fail", "error"] as const
export type CheckStatus = (typeof CHECK_STATUSES)[number]

export const checkResultSchema = z.strictObject({
  check_id: z.string().min(1).max(64),
  type: z.string().min(1).max(64),
  class: z.enum(["deterministic", "judgment"]),
  status: z.enum(CHECK_STATUSES),
  started_at: time,
  finished_at: time,
  /** Absent where no container ran. */
  runner_image: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .optional(),
  input_hashes: hashes,
  output_hashes: hashes,
  log_uri: z.string().max(512).optional(),
  log_sha256: sha256.optional(),
  summary: z.record(z.string(), json),
  /** sha256 of the JCS of `{check_id, type, status, params_sha256, cases, counts}`: equal for equal outcomes, whoever runs it. */
  result_sha256: sha256,
})

export const bundleSchema = z.strictObject({
  job_id: z.string().min(1).max(200),
  contract_hash: sha256,
  submission: z.strictObject({ n: z.int().min(1).max(255), deliverable_sha256: sha256, submitted_at: time }),
  check_results: z.array(checkResultSchema).min(1).max(64),
  verdict: z.enum(["PASS", "FAIL", "INCONCLUSIVE"]),
  seeds: z.record(z.string().min(1).max(64), sha256),
  /** Signed receipts of what ran (CCS). */
  receipts: z.array(z.record(z.string(), json)),
  /** Lower hex like every digest in a document; on chain it carries 0x. */
  merkle_root: sha256,
  verifier_id: z.string().min(1).max(200),
  verifier_sig: hex(130).nullable(),
})

export type CheckResult = z.infer<typeof checkResultSchema>
export type EvidenceBundle = z.infer<typeof bundleSchema>
