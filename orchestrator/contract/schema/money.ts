/** AFG §5: the price, the bonds that others put up, and the shares of AFG. */
import { z } from "zod"
import { address, addressOrNone, amount, money } from "./primitives.ts"

const bps = z.int().min(0).max(10_000)

export const price = z
  .strictObject({ amount, asset: z.string().min(1).max(16), chain_id: z.int().min(1), token_address: address })
  .meta({ description: "What the escrow holds; one token and chain for every amount of the contract" })

export const bonds = z
  .strictObject({
    mediator_bond: money,
    panelist_bond: money,
    dispute_deposit: money,
    staking_contract: addressOrNone.meta({ description: "The vault that holds the bonds; zero only on a local chain without one" }),
  })
  .meta({ description: "Put up by mediator, panelists and whoever disputes" })

export const fees = z
  .strictObject({ afg_release_fee_bps: bps, afg_mediation_share_bps: bps })
  .meta({ description: "AFG's shares in hundredths of a percent" })
