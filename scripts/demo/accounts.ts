/** Balances of everyone who could hold the price, as decimal strings of USDC. */
import type { PublicClient } from "viem"
import { testUsdcAbi } from "../../deployments/abi/index.ts"
import type { Deployment } from "../../orchestrator/chain/deployment.ts"
import { formatAmount } from "../../orchestrator/contract/index.ts"
import { localAccount } from "../../orchestrator/local-accounts.ts"
import type { Address } from "../../orchestrator/types.ts"

const USDC_DECIMALS = 6

export type Balances = { buyer: string; provider: string; treasury: string; resolver: string; escrow: string }

export const readBalances = async (client: PublicClient, { contracts, treasury }: Deployment): Promise<Balances> => {
  const of = async (holder: Address): Promise<string> => {
    const units = await client.readContract({
      address: contracts.TestUSDC.address,
      abi: testUsdcAbi,
      functionName: "balanceOf",
      args: [holder],
    })
    return formatAmount(units, USDC_DECIMALS)
  }
  const [buyer, provider, atTreasury, resolver, escrow] = await Promise.all([
    of(localAccount("buyer").address),
    of(localAccount("provider").address),
    of(treasury),
    of(contracts.AFGResolver.address),
    of(contracts.ERC8183Escrow.address),
  ])
  return { buyer, provider, treasury: atTreasury, resolver, escrow }
}
