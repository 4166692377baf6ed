/** What a rail's contracts say happened, in the words of the lifecycle. */
import type { Hex as ViemHex } from "viem"
import type { ChainEvent } from "../../state-machine/index.ts"
import type { Address, Hex } from "../../types.ts"

type WithoutPlace<E> = E extends unknown ? Omit<E, "source" | "at" | "position"> : never
/** A chain event before it has its place and time. */
export type ChainFact = WithoutPlace<ChainEvent>

/** A log as the RPC gives it. */
export type RawLog = { address: Address; topics: readonly ViemHex[]; data: ViemHex }

/** What one log says of one reference. `termsHash`: of the Terms it is about, where the log names them. */
export type RailFact = { ref: Hex; termsHash: Hex | null; fact: ChainFact }

export type RailLogs = {
  /** Where to look. */
  readonly addresses: readonly Address[]
  /** Null: says nothing about a job's lifecycle. Throws on a log that claims to be ours and cannot be read. */
  read: (log: RawLog) => RailFact | null
}
