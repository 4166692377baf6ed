/** What JSON can say, as values of the program. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [name: string]: JsonValue }

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
