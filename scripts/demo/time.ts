/** Windows pass by moving the local chain's time and nothing else. */
import type { Scene } from "./scene.ts"

/** Moves the chain's time past `seconds` and waits until the job is settled. */
export const passTime = async (scene: Scene, jobId: string, seconds: number): Promise<void> => {
  await scene.network.chain.warp(seconds)
  await scene.buyer.afg.until(jobId, ({ tx }) => tx.settle !== null)
}
