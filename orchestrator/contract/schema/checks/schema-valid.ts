/** `schema_valid`: an artifact validates against a pinned JSON Schema. */
import { z } from "zod"
import { artifact, commonShape, inputName } from "./common.ts"

export const JSON_SCHEMA_2020_12 = "https://json-schema.org/draft/2020-12/schema"

export const schemaValid = z.strictObject({
  ...commonShape,
  type: z.literal("schema_valid"),
  artifact,
  schema: inputName,
  dialect: z.literal(JSON_SCHEMA_2020_12).optional(),
})
