/** The chain's edge: what happened on it (watcher), what we do on it (keeper), how each rail speaks. */
export { type ChainAction, callFor, isChainAction, type Performed, performActions, performOnChain } from "./actions.ts"
export { type ContractError, contractError } from "./contract-error.ts"
export { type ContractName, type Deployment, parseDeployment, readDeployment } from "./deployment.ts"
export { createKeeper, type GasBudget, type Keeper, type KeeperOptions, type Sent } from "./keeper.ts"
export { erc8183Rail } from "./rails/erc8183.ts"
export type { Call, EscrowView, FundingCalls, Rail, RailState } from "./rails/rail.ts"
export { chainNow, createWatcher, type Watcher, type WatcherOptions } from "./watcher.ts"
