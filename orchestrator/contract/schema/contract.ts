/** AFG §5: the whole job contract, with the members that the specification's sketch leaves open. Unknown members are refused. */
import { z } from "zod"
import { appeal, mediator, verifier } from "./agents.ts"
import { acceptance } from "./checks/index.ts"
import { escrow } from "./escrow.ts"
import { bonds, fees, price } from "./money.ts"
import { buyer, provider } from "./parties.ts"
import { hexBytes, sha256, time } from "./primitives.ts"
import { deadline, windows } from "./timing.ts"
import { deliverable, inputs } from "./work.ts"

export const SPEC_VERSION = "afg-acs/0-draft"

const signatures = z
  .strictObject({ buyer: hexBytes.optional(), provider: hexBytes.optional(), mediator: hexBytes.optional() })
  .meta({ description: "EIP-712 signatures over Terms" })

/** Each top-level member by itself, so that a fault in one does not hide faults in another. */
export const contractShape = {
  spec_version: z.literal(SPEC_VERSION),
  job_id: z.string().regex(/^afg:job:[0-9A-Z]{10,32}$/, "afg:job: and a ULID"),
  created_at: time,
  buyer,
  provider,
  price,
  escrow,
  deadline,
  windows,
  inputs,
  deliverable,
  acceptance,
  verifier,
  mediator,
  appeal,
  bonds,
  fees,
  signatures: signatures.optional(),
  contract_hash: sha256.optional(),
}

export const contractSchema = z.strictObject(contractShape).meta({
  id: "JobContract",
  title: `AFG job contract (${SPEC_VERSION})`,
})

export type Contract = z.infer<typeof contractSchema>

/** JSON Schema 2020-12 of the contract, for editors and other languages. It knows formats, not the linter's rules. */
export const contractJsonSchema = (): Record<string, unknown> => z.toJSONSchema(contractSchema) as Record<string, unknown>
