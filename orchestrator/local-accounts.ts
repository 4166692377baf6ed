/**
 * Who is who on a local network. The keys are Hardhat's well-known development mnemonic: worth nothing anywhere else.
 */

import { bytesToHex } from "viem"
import { type HDAccount, mnemonicToAccount } from "viem/accounts"
import type { Address, Hex } from "./types.ts"

const MNEMONIC = "test test test test test test test test test test test junk"

export const LOCAL_CHAIN_ID = 31337

const ROLES = [
  "deployer",
  "keeper",
  "buyer",
  "provider",
  "verifier",
  "fallback",
  "mediator",
  "treasury",
  "panelist-1",
  "panelist-2",
  "panelist-3",
  "panelist-4",
  "panelist-5",
] as const

export type LocalRole = (typeof ROLES)[number]

export type LocalAccount = { role: LocalRole; address: Address; privateKey: Hex; account: HDAccount }

const derive = (role: LocalRole, index: number): LocalAccount => {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
  const key = account.getHdKey().privateKey
  if (!key) throw new Error("the development mnemonic yields private keys")
  return { role, address: account.address, privateKey: bytesToHex(key), account }
}

/** Deriving a key takes milliseconds of hashing, and tests ask often. */
const derived = new Map<LocalRole, LocalAccount>()

/** The account of a role; index in the mnemonic = position in {@link ROLES}. */
export const localAccount = (role: LocalRole): LocalAccount => {
  const known = derived.get(role) ?? derive(role, ROLES.indexOf(role))
  derived.set(role, known)
  return known
}

export const localAccounts = (): LocalAccount[] => ROLES.map(localAccount)
