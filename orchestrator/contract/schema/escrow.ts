/** AFG §5: the external rail that holds the price. */
import { z } from "zod"
import { address, bytes32, hashedReference, label, time } from "./primitives.ts"

export const RAILS = ["erc8183", "x402_authcapture", "virtuals_acp"] as const
export type Rail = (typeof RAILS)[number]

export const escrow = z
  .strictObject({
    rail: z.enum(RAILS),
    contract: address,
    escrow_ref: label.meta({ description: "The rail's reference: decimal job id (ERC-8183, ACP), paymentInfoHash:0x… (x402)" }),
    salt: bytes32.optional().meta({ description: "x402: the salt that the payment hash covers" }),
    resolver: address.meta({ description: "The AFG resolver in the evaluator or capture role" }),
    upgradeable: z.boolean().meta({ description: "Must be false in v0" }),
    audit_ref: hashedReference.optional().meta({ description: "The audit of the rail's code" }),
    fund_by: time.meta({ description: "After this an unfunded job lapses; at most 24 h after created_at" }),
    expiry: time.meta({ description: "Rail-level hard stop: refund to the buyer" }),
  })
  .meta({ description: "Where the price is locked, never with AFG" })
