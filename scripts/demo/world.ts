/** What the demonstration's agents share: the network, the fixture, a wallet each. Nobody shares a key. */
import { createWalletClient, type Hex, http, type WalletClient } from "viem"
import { hardhat } from "viem/chains"
import { type AfgClient, createAfgClient } from "../../orchestrator/client/client.ts"
import { type LocalRole, localAccount } from "../../orchestrator/local-accounts.ts"
import type { Address } from "../../orchestrator/types.ts"
import type { LocalNetwork } from "../local/network.ts"

export type Agent = {
  role: LocalRole
  address: Address
  afg: AfgClient
  wallet: WalletClient
  /** Sends a transaction from the agent's own wallet and waits for it. Throws when it reverts. */
  send: (call: { to: Address; data: Hex; value?: bigint }) => Promise<{ hash: Hex; gas: bigint }>
}

/** An agent with its wallet. `onRetry` hears when the orchestrator could not be reached and the call is repeated. */
export const createAgent = (network: LocalNetwork, role: LocalRole): Agent => {
  const { account } = localAccount(role)
  const wallet = createWalletClient({ account, chain: hardhat, transport: http(network.chain.rpc) })
  return {
    role,
    address: account.address,
    wallet,
    afg: createAfgClient({
      api: network.api,
      signer: { address: account.address, signMessage: (message) => account.signMessage({ message }) },
    }),
    send: async (call) => {
      const hash = await wallet.sendTransaction({ account, chain: hardhat, ...call })
      const receipt = await network.chain.client.waitForTransactionReceipt({ hash })
      if (receipt.status !== "success") throw new Error(`transaction ${hash} of the ${role} reverted`)
      return { hash, gas: receipt.gasUsed }
    },
  }
}

/** Gas that a transaction used, whoever sent it. */
export const gasOf = async (network: LocalNetwork, hash: Hex | string | null): Promise<bigint> =>
  hash === null ? 0n : (await network.chain.client.getTransactionReceipt({ hash: hash as Hex })).gasUsed
