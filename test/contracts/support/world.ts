/** An in-process chain with our contracts on it, fresh per call through {@link freshWorld}. */
import hre from "hardhat"
import { type Abi, type Address, getContract, type Hex } from "viem"
import { afgResolverAbi, batcherAbi, erc8183EscrowAbi, testUsdcAbi } from "../../../deployments/abi/index.ts"
import { localAccount } from "../../../orchestrator/local-accounts.ts"

// Plain `node --test` must find compiled contracts too; when nothing changed this reads a cache.
await hre.tasks.getTask("build").run({ quiet: true })

export const FEE_BPS = 150
export const USDC = 1_000_000n
export const CHAIN_ID = 31337

export const connection = await hre.network.create()
export const { viem, networkHelpers } = connection
export const { time } = networkHelpers

const publicClient = await viem.getPublicClient()
const relayer = await viem.getWalletClient(localAccount("keeper").address)

/** A typed contract whose writes come from `from`, by default the keeper: nobody in particular. */
export const contractAt = <const A extends Abi>(abi: A, address: Address, wallet = relayer) =>
  getContract({ abi, address, client: { public: publicClient, wallet } })

/** The wallet of a development account, for acts that read `msg.sender`. */
export const walletOf = (address: Address) => viem.getWalletClient(address)

export const deployWorld = async () => {
  const token = await viem.deployContract("TestUSDC")
  return deployWorldOn(token.address)
}

/** The same contracts on another token. */
export const deployWorldOn = async (token: Address) => {
  const verifier = await viem.deployContract("ERC7913P256Verifier")
  const batcher = await viem.deployContract("Batcher")
  const escrow = await viem.deployContract("ERC8183Escrow", [token, FEE_BPS, localAccount("treasury").address])
  const resolver = await viem.deployContract("ERC8183Resolver", [escrow.address])
  return {
    p256Verifier: verifier.address,
    usdc: contractAt(testUsdcAbi, token),
    batcher: contractAt(batcherAbi, batcher.address),
    escrow: contractAt(erc8183EscrowAbi, escrow.address),
    resolver: contractAt(afgResolverAbi, resolver.address),
  }
}

export type World = Awaited<ReturnType<typeof deployWorld>>

/** A snapshot of {@link deployWorld}: every test starts from the same block. */
export const freshWorld = (): Promise<World> => networkHelpers.loadFixture(deployWorld)

/** Gas of a mined transaction. */
export const gasOf = async (hash: Hex): Promise<bigint> => (await publicClient.waitForTransactionReceipt({ hash })).gasUsed

/** Makes `act` the first transaction of a block at `timestamp`; when it reverts, the block is mined empty. */
export const atTime = async <T>(timestamp: number, act: () => Promise<T>): Promise<T> => {
  await time.setNextBlockTimestamp(timestamp)
  try {
    return await act()
  } finally {
    if ((await time.latest()) < timestamp) await networkHelpers.mine()
  }
}

/** A test double: called by name, since only shipped contracts have typed ABIs here. */
export const deployDouble = async (name: string, args: readonly unknown[] = []) => {
  const { abi, address } = (await viem.deployContract(name, [...args])) as { abi: Abi; address: Address }
  return {
    address,
    abi,
    write: (functionName: string, parameters: readonly unknown[] = []): Promise<Hex> =>
      relayer.writeContract({ abi, address, functionName, args: [...parameters] }),
    read: (functionName: string, parameters: readonly unknown[] = []): Promise<unknown> =>
      publicClient.readContract({ abi, address, functionName, args: [...parameters] }),
  }
}

export const { assertions } = viem
