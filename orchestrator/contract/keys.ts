/** Private keys as files hold them. */
import { bytesToHex, type Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { AfgError } from "../errors.ts"
import { isJsonObject, type JsonValue, parseStrictJson } from "../json/index.ts"

const HEX_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/

/**
 * The account of a key file: 32 bytes of hex, with or without 0x, or a JWK (`{"kty":"EC","crv":"secp256k1","d":…}`).
 *
 * Throws `key-malformed`, which never repeats what the file says.
 */
export const accountOfKeyFile = (content: Uint8Array | string): PrivateKeyAccount => {
  const text = (typeof content === "string" ? content : Buffer.from(content).toString("utf8")).trim()
  const key = HEX_KEY.exec(text)?.[1]
  try {
    return privateKeyToAccount(key === undefined ? keyOfJwk(parseStrictJson(text)) : `0x${key}`)
  } catch {
    throw new AfgError("key-malformed", "the file holds neither 32 bytes of hex nor a JWK of a secp256k1 private key")
  }
}

const keyOfJwk = (jwk: JsonValue): Hex => {
  if (!isJsonObject(jwk) || jwk.kty !== "EC" || jwk.crv !== "secp256k1" || typeof jwk.d !== "string") throw new TypeError("not such a key")
  return bytesToHex(Buffer.from(jwk.d, "base64url"))
}
