/** What every role stands on: the store, the timers, the chain and its clock. */
import { readFileSync } from "node:fs"
import { createPublicClient, http, isHex, type PrivateKeyAccount, type PublicClient } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { chainNow, type Deployment, erc8183Rail, type Rail, readDeployment } from "./chain/index.ts"
import type { Config } from "./config.ts"
import { AfgError } from "./errors.ts"
import { LOCAL_CHAIN_ID } from "./local-accounts.ts"
import type { Log } from "./reconciler/index.ts"
import { openStore, type Store } from "./store/index.ts"
import { openTimers, type Timers } from "./timers/index.ts"
import type { UnixSeconds } from "./types.ts"

export type CoreClocks = {
  wall: () => UnixSeconds
  chain: () => Promise<UnixSeconds>
  /** Wall time; on a local chain whose time is moved ahead, that time. */
  confirmation: () => Promise<UnixSeconds>
}

export type Core = {
  store: Store
  timers: Timers
  client: PublicClient
  deployment: Deployment
  chainId: number
  rail: Rail
  clocks: CoreClocks
  keeperAccount: () => PrivateKeyAccount
  verifierAccount: () => PrivateKeyAccount
  close: () => Promise<void>
}

/** A 32-byte hex key from a file. Throws `config-invalid`. */
const accountFrom = (variable: string, file: string | undefined): PrivateKeyAccount => {
  if (file === undefined) throw new AfgError("config-invalid", `${variable} is needed for this role`)
  let text: string
  try {
    text = readFileSync(file, "utf8").trim()
  } catch (cause) {
    throw new AfgError("config-invalid", `${variable}: cannot read ${file}`, { cause })
  }
  const key = text.startsWith("0x") ? text : `0x${text}`
  if (!isHex(key) || key.length !== 66) throw new AfgError("config-invalid", `${variable}: ${file} does not hold 32 bytes of hex`)
  return privateKeyToAccount(key)
}

export const openCore = async (config: Config, log: Log): Promise<Core> => {
  const deployment = readDeployment(config.deploymentFile)
  const { chainId } = deployment
  const client = createPublicClient({ transport: http(config.rpcUrl, { retryCount: 2 }), cacheTime: 0, pollingInterval: 100 })
  const store = await openStore({ dataDir: config.dataDir, databaseUrl: config.databaseUrl })
  try {
    const onError = (error: Error): void => log("warn", "queue", { reason: error.message })
    const timers = await openTimers({ redisUrl: config.redisUrl, pool: store.queuePool, onError })
    const wall = (): UnixSeconds => Math.floor(Date.now() / 1_000)
    const chain = (): Promise<UnixSeconds> => chainNow(client)
    return {
      store,
      timers,
      client,
      deployment,
      chainId,
      rail: erc8183Rail({ client, deployment }),
      clocks: {
        wall,
        chain,
        confirmation: async () => (chainId === LOCAL_CHAIN_ID ? Math.max(wall(), await chain()) : wall()),
      },
      keeperAccount: () => accountFrom("KEEPER_KEY_FILE", config.keeperKeyFile),
      verifierAccount: () => accountFrom("VERIFIER_KEY_FILE", config.verifierKeyFile),
      close: async () => {
        await timers.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
