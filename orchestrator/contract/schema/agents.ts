/** AFG §3 and §5: verifier, its fallback, mediator and appeal panel. */
import { z } from "zod"
import { address, ageRecipient, bytes32, hashedReference, label, money, sha256 } from "./primitives.ts"

const encryptionKey = ageRecipient.optional().meta({ description: "age recipient for sealed inputs" })

export const verifier = z
  .strictObject({
    verifier_id: label,
    attestation_key: address.meta({ description: "Signs the evidence bundle" }),
    encryption_key: encryptionKey,
    fallback_pool: label,
    fallback: z
      .strictObject({ verifier_id: label, attestation_key: address, encryption_key: encryptionKey })
      .meta({ description: "Taken from the pool before signing; steps in when the primary is inconclusive or late" }),
    fee: money,
  })
  .meta({ description: "Runs the checks" })

export const mediator = z
  .strictObject({
    mediator_id: label,
    model_provider: label,
    key: address.meta({ description: "Signs Terms and rulings; its bond is locked" }),
    encryption_key: encryptionKey,
    selection_proof: z
      .strictObject({
        seed_commit_buyer: sha256,
        seed_commit_provider: sha256,
        draw_tx: bytes32,
        transcript: hashedReference.optional(),
      })
      .optional()
      .meta({ description: "How the mediator was drawn, before funding" }),
    conflict_check_ref: sha256.optional().meta({ description: "sha256 of the conflict report" }),
    fee: money.extend({ paid_by: z.literal("loser") }),
  })
  .meta({ description: "Rules on disputes" })

export const appeal = z
  .strictObject({
    allowed: z.literal(1),
    fee: money,
    panel_size: z.int().meta({ description: "Odd, at least 3" }),
    distinct_model_providers: z.int(),
    excludes_original_mediator: z.literal(true),
    voting: z.literal("commit_reveal"),
    decision: z.literal("simple_majority"),
    final: z.literal(true),
    roster: hashedReference.meta({ description: "The list panelists are seated from; a data: URI makes the contract self-contained" }),
  })
  .meta({ description: "Exactly one appeal" })

/** One line of the panel's roster (RFC 8785 JSON list at `appeal.roster`). */
export const panelist = z.strictObject({ wallet: address, model_provider: label, operator_id: label, encryption_key: encryptionKey })

export const roster = z.array(panelist).min(1).max(1_000)

export type Panelist = z.infer<typeof panelist>
