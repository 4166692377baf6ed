/** How a person may be present here, and what each way is worth (AACP §7.3). */

/** The development chain: its money is worth nothing. */
export const LOCAL_CHAIN_ID = 31337

export type MethodRules = {
  /** Level of assurance that the evidence reports. */
  readonly loa: number
  /** The only chains whose money a decision made this way may move. Part of the code on purpose: no setting widens it. */
  readonly chains: readonly number[]
}

export const METHODS = {
  /** A program that was handed a session secret: it shows that the path works, not that a person was there. */
  "scripted-demo": { loa: 0, chains: [LOCAL_CHAIN_ID] },
  /** A person who could read a one-time link from the service's own terminal. */
  "one-time-link": { loa: 1, chains: [LOCAL_CHAIN_ID] },
} as const satisfies Readonly<Record<string, MethodRules>>

export type Method = keyof typeof METHODS

export const isMethod = (text: string): text is Method => Object.hasOwn(METHODS, text)

/** Whether a decision made by `method` may concern money on `chainId`. */
export const methodServes = (method: Method, chainId: number): boolean => {
  const rules: MethodRules = METHODS[method]
  return rules.chains.includes(chainId)
}

/** Whether any method here may: without one, nobody is prompted. */
export const chainIsServed = (chainId: number): boolean =>
  Object.values(METHODS).some((rules: MethodRules) => rules.chains.includes(chainId))
