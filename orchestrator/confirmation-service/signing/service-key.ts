/** The service's P-256 key: made at the first start, kept in a file that only its owner can read. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash } from "node:crypto"
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { AfgError } from "../../errors.ts"
import { canonicalize } from "../../json/index.ts"

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

const keyFile = z.strictObject({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: coordinate,
  y: coordinate,
  d: coordinate,
  /** When the key was made, Unix seconds: nothing confirmed before can be its work. */
  nbf: z.number().int().nonnegative(),
})

export type ServiceKey = {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string
  readonly nbf: number
  /** The 32 bytes of the private key. Never logged, never served. */
  readonly secret: Uint8Array
  /** Coordinates, 32 bytes each. */
  readonly x: Uint8Array
  readonly y: Uint8Array
}

const unusable = (file: string, why: string, cause?: unknown): AfgError =>
  new AfgError("confirm-key-unusable", `${file}: ${why}`, { cause })

const thumbprint = (x: string, y: string): string => hash("sha256", canonicalize({ crv: "P-256", kty: "EC", x, y }), "base64url")

/** The public half must follow from the private one: a file with another's x and y would publish a key we cannot sign for. */
const belongsTogether = (jwk: z.infer<typeof keyFile>): boolean => {
  const derived = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" })).export({ format: "jwk" })
  const probe = createPrivateKey({ key: { ...jwk }, format: "jwk" }).export({ format: "jwk" })
  return derived.x === jwk.x && derived.y === jwk.y && probe.d === jwk.d
}

const readKey = (file: string): ServiceKey => {
  const { mode, uid } = statSync(file)
  if ((mode & 0o077) !== 0) throw unusable(file, "others can read it; `chmod 600` it if nobody did")
  if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(file, "it belongs to another user")
  let parsed: z.infer<typeof keyFile>
  try {
    parsed = keyFile.parse(JSON.parse(readFileSync(file, "utf8")))
    if (!belongsTogether(parsed)) throw new Error("x and y are not the public key of d")
  } catch (cause) {
    // The cause may quote the file: it stays out of the message.
    throw unusable(file, "it is not a private P-256 JWK as this service writes it", cause instanceof z.ZodError ? undefined : cause)
  }
  const bytes = (text: string): Uint8Array => Buffer.from(text, "base64url")
  return { kid: thumbprint(parsed.x, parsed.y), nbf: parsed.nbf, secret: bytes(parsed.d), x: bytes(parsed.x), y: bytes(parsed.y) }
}

/** Complete or absent: the file appears under its name only when its bytes are on the disk, and never over another. */
const writeOnce = (file: string, text: string): void => {
  const draft = `${file}.${process.pid}`
  const handle = openSync(draft, "wx", 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    linkSync(draft, file)
  } finally {
    unlinkSync(draft)
  }
}

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

/** Reads the key, or makes it when there is none. Throws `confirm-key-unusable`. */
export const loadServiceKey = (file: string, now: number): ServiceKey => {
  try {
    if (!exists(file)) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const { kty, crv, x, y, d } = privateKey.export({ format: "jwk" })
      writeOnce(file, `${JSON.stringify({ kty, crv, x, y, d, nbf: now })}\n`)
    }
    return readKey(file)
  } catch (cause) {
    if (cause instanceof AfgError) throw cause
    throw unusable(file, "it cannot be read or made", cause)
  }
}

/** Reads a key that must be there already. Throws `confirm-key-unusable`. */
export const readServiceKey = (file: string): ServiceKey => {
  if (!exists(file)) throw unusable(file, "there is none; the service makes it at its first start")
  return readKey(file)
}
