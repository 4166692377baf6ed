/** A service's published JWK Set (AACP §7.2): cached, and asked again for an unknown id, though not at every knock. */
import { AfgError } from "../../errors.ts"
import { parseJwks, type ServiceKey } from "./service-key.ts"
import { indexKeys, type KeySource } from "./source.ts"

export type HttpKeysOptions = {
  /** The service whose set this is. Keys naming another are ignored: the address vouches for one service only. */
  readonly iss: string
  /** Unix seconds. */
  readonly now: () => number
  /** How long a fetched set is used without asking again, in seconds. Default 600. */
  readonly maxAge?: number
  /** Least time between two fetches for unknown ids or after a failure, in seconds. Default 30. */
  readonly cooldown?: number
  /** Longest wait for an answer, in milliseconds. Default 5000. */
  readonly timeout?: number
  readonly fetch?: typeof globalThis.fetch
}

const MAX_BYTES = 256 * 1024
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"])

const unreachable = (url: URL, why: string, cause?: unknown): AfgError =>
  new AfgError("aacp-keys-unreachable", `the key set at ${url.origin} cannot be had: ${why}`, { cause })

const readBounded = async (response: Response, url: URL): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw unreachable(url, `more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Keys from a URL: HTTPS, or HTTP to this very machine. A set older than `maxAge` that cannot be fetched again is not used any more, so that
 * a revocation cannot be held back for longer than that.
 */
export const httpKeys = (address: string, options: HttpKeysOptions): KeySource => {
  const url = new URL(address)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw new AfgError("aacp-keys-unreachable", "a key set comes over HTTPS, or over HTTP from this machine")
  }
  const { iss, now, maxAge = 600, cooldown = 30, timeout = 5000 } = options
  const fetchSet = options.fetch ?? globalThis.fetch
  let cached: { at: number; index: ReadonlyMap<string, readonly ServiceKey[]> } | null = null
  let asked = Number.NEGATIVE_INFINITY
  let failure: unknown = null
  let pending: Promise<void> | null = null

  const fetchOnce = async (): Promise<void> => {
    asked = now()
    try {
      const response = await fetchSet(url, {
        headers: { accept: "application/jwk-set+json, application/json" },
        redirect: "error",
        signal: AbortSignal.timeout(timeout),
      })
      if (!response.ok) throw unreachable(url, `status ${response.status}`)
      cached = { at: asked, index: indexKeys(parseJwks(await readBounded(response, url), { iss }).keys) }
      failure = null
    } catch (cause) {
      failure = cause
    }
  }
  /** Callers that arrive during a fetch share it. */
  const refresh = (): Promise<void> => {
    pending ??= fetchOnce().finally(() => {
      pending = null
    })
    return pending
  }
  const fresh = () => (cached !== null && now() - cached.at <= maxAge ? cached.index : null)
  const mayAsk = () => pending !== null || now() - asked >= cooldown

  return {
    keysFor: async (kid) => {
      const known = fresh()?.get(kid)
      if (known !== undefined) return known
      if (mayAsk()) await refresh()
      const index = fresh()
      if (index === null) throw unreachable(url, failure instanceof Error ? failure.message : "asked too recently", failure)
      return index.get(kid) ?? []
    },
  }
}
