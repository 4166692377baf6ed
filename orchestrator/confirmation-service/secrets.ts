/** Secrets that a browser or a person holds. The store keeps their digest only. */
import { hash, randomBytes } from "node:crypto"

/** 256 random bits, fit for a URL, a cookie and a form. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** What the store knows a secret by: sha256, 64 hex digits. Looking up a digest gives nothing away by its timing. */
export const secretId = (secret: string): string => hash("sha256", secret, "hex")
