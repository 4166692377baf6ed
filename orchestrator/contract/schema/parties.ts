/** AFG §5: who hires and who does the work. */
import { z } from "zod"
import { address, hexBytes, label } from "./primitives.ts"

const operatorId = label.nullable().optional()

export const provider = z
  .strictObject({
    agent_id: label,
    wallet: address,
    operator_id: operatorId.meta({ description: "The legal person behind the agent, for conflict checks only" }),
  })
  .meta({ description: "The agent that does the work" })

export const buyer = z
  .strictObject({
    agent_id: label,
    wallet: address,
    operator_id: operatorId,
    confirmer: hexBytes
      .refine((hex) => hex.length >= 2 + 40, "ERC-7913 signer bytes: an address, or a verifier's address and a key")
      .optional()
      .meta({ description: "ERC-7913 signer of the human's confirmation; absent: the buyer's wallet" }),
  })
  .meta({ description: "The agent that hires" })
