/** The smallest parts of a contract: formats that fix one spelling, so that a hash covers one meaning. */
import { isAddress } from "viem"
import { z } from "zod"
import type { Address, Hex, Sha256 } from "../../types.ts"
import { isAgeRecipient } from "../age-recipient.ts"

const ZERO_ADDRESS = /^0x0{40}$/

const typed = <T extends string>(schema: z.ZodString, check: (text: string) => boolean, message: string) =>
  schema.refine((text): text is T => check(text), { message, abort: true })

/** `0x` + 40 hex digits: all lower case, or with the EIP-55 checksum. Never zero. */
export const address = typed<Address>(
  z.string().regex(/^0x[0-9a-fA-F]{40}$/, "an address: 0x and 40 hex digits"),
  (text) => isAddress(text) && !ZERO_ADDRESS.test(text),
  "an address with a wrong checksum, or zero",
)

/** An address, or zero for "there is none". */
export const addressOrNone = z.union([address, z.literal("0x0000000000000000000000000000000000000000")])

/** 32 bytes as the chain writes them. */
export const bytes32 = typed<Hex>(z.string().regex(/^0x[0-9a-f]{64}$/, "0x and 64 lower-case hex digits"), () => true, "")

/** Any bytes, `0x` and lower-case or mixed hex. */
export const hexBytes = typed<Hex>(z.string().regex(/^0x([0-9a-fA-F]{2})*$/, "0x and whole bytes in hex"), () => true, "")

/** A digest of a document: 64 lower-case hex digits, no `0x`. */
export const sha256 = typed<Sha256>(z.string().regex(/^[0-9a-f]{64}$/, "sha256: 64 lower-case hex digits"), () => true, "")

/** RFC 3339 in UTC, whole seconds: the one spelling `2026-09-25T20:00:00Z`. */
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "a time like 2026-09-25T20:00:00Z (UTC, whole seconds)")
  .refine(isRealTime, "no such date or time")

function isRealTime(text: string): boolean {
  const millis = Date.parse(text)
  return !Number.isNaN(millis) && new Date(millis).toISOString() === `${text.slice(0, 19)}.000Z`
}

/** A decimal amount such as `40.00`; how many places it may have follows from the asset. */
export const amount = z.string().regex(/^(0|[1-9][0-9]{0,24})(\.[0-9]{1,18})?$/, "a decimal amount such as 40.00")

/** A name inside the contract or of an agent: printable, no blanks at its ends. */
export const label = z.string().regex(/^[^\s\p{C}](?:[^\p{C}]{0,198}[^\s\p{C}])?$/u, "1 to 200 printable characters")

/** Names an input; also a file name where the verifier lays it down. */
export const inputName = z
  .string()
  .regex(/^[A-Za-z0-9_@][A-Za-z0-9_.@+-]{0,63}$/, "letters, digits and _ . @ + -, at most 64, not beginning with . or -")

/** Long enough for a roster in a `data:` URI. */
export const uri = z.string().min(1).max(1_000_000)

/** A window or time-out in seconds, as far as the chain counts (uint32). */
export const seconds = z.int().min(1).max(4_294_967_295)

/** OCI config digest of a runner image. */
export const imageDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/, "an image pinned by sha256:… (OCI config digest)")

/** A full git commit id. */
export const commitId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "a full commit id: 40 (or 64) lower-case hex digits")

/** Recipient of sealed inputs: an age X25519 public key. */
export const ageRecipient = z
  .string()
  .regex(/^age1[02-9ac-hj-np-z]{58}$/, "an age recipient: age1…")
  .refine(isAgeRecipient, "an age recipient with a wrong checksum")

export const hashedReference = z.strictObject({ uri, sha256 })

/** AFG §5: amount and asset together. */
export const money = z.strictObject({ amount, asset: z.string().min(1).max(16) })
