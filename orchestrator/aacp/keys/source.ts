/** Where a verifier finds keys: given, in a file, or several of these (HTTP is in `http-source.ts`). */
import { readFile, stat } from "node:fs/promises"
import { AfgError } from "../../errors.ts"
import { type KeySet, parseJwks, readJwks, type ServiceKey } from "./service-key.ts"

export interface KeySource {
  /**
   * Every key registered under `kid`, at most one per service. None: the id is unknown, now. Throws `aacp-keys-unreachable` when the set cannot be had.
   * Both end as `unverifiable`.
   */
  keysFor(kid: string): readonly ServiceKey[] | Promise<readonly ServiceKey[]>
}

/** Keys by id; the first registration of a key or of a (service, id) pair wins, so that identities do not shift. */
export const indexKeys = (keys: readonly ServiceKey[]): ReadonlyMap<string, readonly ServiceKey[]> => {
  const index = new Map<string, ServiceKey[]>()
  for (const key of keys) {
    const known = index.get(key.kid) ?? []
    if (known.some((other) => other.iss === key.iss || other.publicKey.equals(key.publicKey))) continue
    index.set(key.kid, [...known, key])
  }
  return index
}

/** A set that is already here: a parsed JWK Set value, or the result of `parseJwks`. */
export const staticKeys = (jwks: unknown, options: { iss?: string | undefined } = {}): KeySource => {
  const index = indexKeys(readJwks(jwks, options).keys)
  return { keysFor: (kid) => index.get(kid) ?? [] }
}

export const keySetSource = (set: KeySet): KeySource => {
  const index = indexKeys(set.keys)
  return { keysFor: (kid) => index.get(kid) ?? [] }
}

/** A JWK Set file, read again whenever it has changed. */
export const fileKeys = (file: string, options: { iss?: string | undefined } = {}): KeySource => {
  let loaded: { stamp: string; index: ReadonlyMap<string, readonly ServiceKey[]> } | null = null
  const load = async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file)
      const stamp = `${mtimeMs}:${size}:${ino}`
      if (loaded?.stamp !== stamp) loaded = { stamp, index: indexKeys(parseJwks(await readFile(file), options).keys) }
      return loaded.index
    } catch (cause) {
      throw new AfgError("aacp-keys-unreachable", `the key set ${file} cannot be read`, { cause })
    }
  }
  return { keysFor: async (kid) => (await load()).get(kid) ?? [] }
}

/**
 * Several services' sources as one. A source that cannot be reached matters only when no other knows the id, so that one
 * service's outage is not another's.
 */
export const anyOf = (sources: readonly KeySource[]): KeySource => ({
  keysFor: async (kid) => {
    const answers = await Promise.allSettled(sources.map(async (source) => source.keysFor(kid)))
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    if (found.length > 0) return indexKeys(found).get(kid) ?? []
    const failed = answers.find((answer) => answer.status === "rejected")
    if (failed !== undefined) throw failed.reason
    return []
  },
})
