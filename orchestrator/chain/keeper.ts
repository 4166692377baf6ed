/**
 * Sends the orchestrator's transactions: one signer, nonces from the store, every signed transaction stored before it is sent, replaced by one
 * with a higher fee when stuck, looked up after a lost reply. What may have been mined is never sent again with another nonce, so that an
 * action has the effect of once however often this process dies.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type Client, keccak256, type LocalAccount, parseTransaction } from "viem"
import { AfgError, isAfgError } from "../errors.ts"
import { failpoint } from "../failpoints.ts"
import type { Store } from "../store/index.ts"
import type { Hex, UnixSeconds } from "../types.ts"
import { broadcast, currentFees, estimate, type Fees, isKnown, nonceOf, type Receipt, receiptOf, whyReverted } from "./keep/rpc.ts"
import {
  findTransaction,
  gasSpent,
  type KeptTransaction,
  keepReplacement,
  keepTransaction,
  saveStatus,
  transactionsFrom,
} from "./keep/transactions.ts"
import type { Log } from "./log.ts"
import type { Call } from "./rails/rail.ts"

export type GasBudget = {
  /** Gas for one job, over its life. Default 5,000,000. */
  perJob: bigint
  /** Gas for all jobs of one buyer within a day. Default 50,000,000. */
  perWallet: bigint
}

export type KeeperOptions = {
  client: Client
  account: LocalAccount
  chainId: number
  store: Store
  log: Log
  budget?: GasBudget
  /** After this long without being mined a transaction is replaced with a higher fee. Default 30,000. */
  stuckMs?: number
  /** How long one call of `send` waits for inclusion before it answers `chain_pending`. Default 20,000. */
  waitMs?: number
  /** Between two looks for a receipt. Default 50 on the local chain, else 1,000. */
  pollMs?: number
  /** Wall clock. */
  now?: () => UnixSeconds
}

export type Sent = { tx: Hex; block: number; gas: string }

export type Keeper = {
  /**
   * Makes the call happen once under this key of the job, and waits until it is mined. Throws `chain_refused` (nothing was sent),
   * `chain_reverted`, `chain_pending`, `chain_nonce_taken`, `chain_unavailable` or `gas_budget_exhausted`.
   */
  send: (actionKey: string, call: Call, options: { jobId: string }) => Promise<Sent>
  /** Hands every transaction that is not mined to the node again: at start, and after a reorganisation. Answers how many. */
  recover: () => Promise<number>
  close: () => Promise<void>
}

const DEFAULT_BUDGET: GasBudget = { perJob: 5_000_000n, perWallet: 50_000_000n }
const DAY_S = 86_400
const LOCAL_CHAIN_ID = 31337
/** What a call really needs may grow between the estimate and its inclusion. */
const withReserve = (gas: bigint): bigint => (gas * 12n) / 10n
/** Nodes take a replacement only for at least a tenth more. */
const bumped = (old: bigint, current: bigint): bigint => {
  const least = (old * 1_125n) / 1_000n + 1n
  return current > least ? current : least
}
/** Looks that must agree before we believe that another transaction has taken our nonce. */
const AGREEING_LOOKS = 3

/** Opens the keeper, and hands to the node what an earlier process may have left unsent. */
export const createKeeper = async (options: KeeperOptions): Promise<Keeper> => {
  const { client, account, chainId, store, log } = options
  const { budget = DEFAULT_BUDGET, stuckMs = 30_000, waitMs = 20_000 } = options
  const pollMs = options.pollMs ?? (chainId === LOCAL_CHAIN_ID ? 50 : 1_000)
  const now = options.now ?? (() => Math.floor(Date.now() / 1_000))
  const signer = { chainId, address: account.address }
  const closing = new AbortController()
  const underWay = new Map<string, Promise<Sent>>()
  let sending: Promise<unknown> = Promise.resolve()

  /** Nonces are given out and used one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = sending.then(work, work)
    sending = mine.catch(() => undefined)
    return mine
  }

  const hand = async (kept: KeptTransaction): Promise<void> => {
    const raw = kept.raw.at(-1) ?? kept.raw[0]
    const said = await broadcast(client, raw)
    if (said !== null) log("info", "the node answered a transaction with an error; it is looked up", { key: kept.key, said })
  }

  /** The lowest nonce that neither the chain nor a transaction of ours has used. */
  const freeNonce = async (): Promise<number> => {
    const used = await nonceOf(client, account.address, "latest")
    const taken = new Set((await transactionsFrom(store.db, signer, used)).map(({ nonce }) => nonce))
    let nonce = used
    while (taken.has(nonce)) nonce += 1
    return nonce
  }

  /** The node lost what we sent before, as after a reorganisation: without it nothing later can be mined. */
  const fillBelow = async (nonce: number): Promise<number> => {
    const held = await nonceOf(client, account.address, "pending")
    if (held >= nonce) return 0
    const missing = (await transactionsFrom(store.db, signer, held)).filter((one) => one.nonce < nonce)
    for (const kept of missing) await hand(kept)
    return missing.length
  }

  const requireBudget = async (jobId: string, gas: bigint): Promise<void> => {
    const spent = await gasSpent(store.db, jobId, now() - DAY_S)
    const over = spent.job + gas > budget.perJob ? "job" : spent.wallet + gas > budget.perWallet ? "wallet" : null
    if (over === null) return
    const details = { spent: spent[over].toString(), wanted: gas.toString() }
    throw new AfgError("gas_budget_exhausted", `the ${over}'s gas budget does not cover this call`, { details })
  }

  const sign = async (call: Call, nonce: number, gas: bigint, fees: Fees): Promise<{ raw: Hex; hash: Hex }> => {
    const { to, data, value } = call
    const raw = await account.signTransaction({ type: "eip1559", chainId, nonce, to, data, value, gas, ...fees })
    return { raw, hash: keccak256(raw) }
  }

  const prepare = (key: string, jobId: string, call: Call): Promise<KeptTransaction> =>
    inTurn(async () => {
      const gas = withReserve(await estimate(client, account.address, call))
      await requireBudget(jobId, gas)
      const nonce = await freeNonce()
      const { raw, hash } = await sign(call, nonce, gas, await currentFees(client))
      await keepTransaction(store.db, signer, { key, jobId, nonce, raw, hash, gas, now: now() })
      failpoint("keeper.prepared")
      const kept: KeptTransaction = { key, jobId, nonce, raw: [raw], hashes: [hash], status: "prepared" }
      await fillBelow(nonce)
      await hand(kept)
      failpoint("keeper.sent")
      return kept
    })

  /** Same nonce, same call, higher fee. */
  const replace = async (kept: KeptTransaction, call: Call): Promise<KeptTransaction> => {
    const last = parseTransaction(kept.raw.at(-1) ?? kept.raw[0])
    const current = await currentFees(client)
    const fees = {
      maxFeePerGas: bumped(last.maxFeePerGas ?? 0n, current.maxFeePerGas),
      maxPriorityFeePerGas: bumped(last.maxPriorityFeePerGas ?? 0n, current.maxPriorityFeePerGas),
    }
    const { raw, hash } = await sign(call, kept.nonce, last.gas ?? (await estimate(client, account.address, call)), fees)
    const replaced = await keepReplacement(store.db, kept, raw, hash)
    log("warn", "a stuck transaction is replaced with a higher fee", { key: kept.key, nonce: kept.nonce, tx: hash })
    await hand(replaced)
    return replaced
  }

  const minedAs = async (kept: KeptTransaction): Promise<Receipt | null> => {
    for (const hash of kept.hashes.toReversed()) {
      const receipt = await receiptOf(client, hash)
      if (receipt !== null) return receipt
    }
    return null
  }

  const finish = async (kept: KeptTransaction, call: Call, receipt: Receipt): Promise<Sent> => {
    const { hash: tx, gasUsed, block, blockHash } = receipt
    await saveStatus(store.db, kept.key, receipt.success ? "mined" : "reverted", { gasUsed, blockHash })
    failpoint("keeper.mined")
    if (receipt.success) return { tx, block, gas: gasUsed.toString() }
    const why = await whyReverted(client, account.address, call, receipt)
    const details = { tx, ...why?.details }
    throw new AfgError("chain_reverted", `the transaction reverted: ${why?.message ?? call.what}`, { cause: why, details })
  }

  const pending = (kept: KeptTransaction): AfgError => {
    const tx = kept.hashes.at(-1)
    return new AfgError("chain_pending", `transaction ${tx} is not mined yet`, { details: { tx, nonce: kept.nonce } })
  }

  /** Waits for inclusion. */
  const settle = async (prepared: KeptTransaction, call: Call): Promise<Sent> => {
    let kept = prepared
    const until = performance.now() + waitMs
    let handedAt = performance.now()
    let goneLooks = 0
    for (;;) {
      try {
        // Count first: a transaction mined between the two looks must show its receipt in the second.
        const used = await nonceOf(client, account.address, "latest")
        const receipt = await minedAs(kept)
        if (receipt !== null) return await finish(kept, call, receipt)
        goneLooks = used > kept.nonce ? goneLooks + 1 : 0
        if (goneLooks >= AGREEING_LOOKS) return await lost(kept)
        if (performance.now() - handedAt > stuckMs) {
          handedAt = performance.now()
          await fillBelow(kept.nonce)
          if (await isKnown(client, kept.hashes.at(-1) ?? kept.hashes[0])) kept = await replace(kept, call)
          else await hand(kept)
        }
      } catch (error) {
        if (!isAfgError(error) || error.code !== "chain_unavailable") throw error
        log("warn", "cannot look for a receipt", { key: kept.key, reason: error.message })
      }
      if (performance.now() > until || closing.signal.aborted) throw pending(kept)
      await pause(pollMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  /** Its nonce went to a transaction that is none of ours: it can never be mined, so another may be made. */
  const lost = async (kept: KeptTransaction): Promise<never> => {
    await saveStatus(store.db, kept.key, "dropped")
    const details = { nonce: kept.nonce, tx: kept.hashes.at(-1) }
    throw new AfgError("chain_nonce_taken", `nonce ${kept.nonce} was used by another program with the keeper's key`, { details })
  }

  const sendOnce = async (key: string, call: Call, jobId: string): Promise<Sent> => {
    const known = await findTransaction(store.db, key)
    if (known === null || known.status === "dropped") return settle(await prepare(key, jobId, call), call)
    const receipt = await minedAs(known)
    if (receipt?.success) return finish(known, call, receipt)
    // Its nonce is used up: a new attempt cannot have the effect twice.
    if (receipt !== null && known.status === "reverted") return settle(await prepare(key, jobId, call), call)
    if (receipt !== null) return finish(known, call, receipt)
    // Never sent, on its way, or taken off the chain by a reorganisation: the same transaction again is the safe one.
    await inTurn(async () => {
      await fillBelow(known.nonce)
      await hand(known)
    })
    return settle(known, call)
  }

  const recover = (): Promise<number> =>
    inTurn(async () => {
      const open = await transactionsFrom(store.db, signer, await nonceOf(client, account.address, "latest"))
      for (const kept of open) await hand(kept)
      return open.length
    })

  // A node that does not answer yet is no reason not to start: every send looks for what is missing.
  const left = await recover().catch((error: unknown) => {
    log("warn", "transactions left from before are not sent yet", { reason: error instanceof Error ? error.message : String(error) })
    return 0
  })
  if (left > 0) log("info", "transactions left from before are sent", { count: left })

  return {
    send: (actionKey, call, { jobId }) => {
      const key = `${jobId}/${actionKey}`
      const running = underWay.get(key)
      if (running !== undefined) return running
      const mine = sendOnce(key, call, jobId).finally(() => underWay.delete(key))
      underWay.set(key, mine)
      return mine
    },
    recover,
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay.values())
      await sending
    },
  }
}
