/** Which of a contract's inputs the store does not hold whole. */
import type { Contract } from "../contract/index.ts"
import type { Store } from "../store/index.ts"
import { storedInput } from "../verifier-runner/files/stored.ts"

/** Names of the missing ones. */
export const missingInputs = async (store: Store, contract: Contract): Promise<string[]> => {
  const held = await Promise.all(
    contract.inputs.map(async (input) => ({ name: input.name, there: (await storedInput(store.blobs, input)) !== null })),
  )
  return held.filter(({ there }) => !there).map(({ name }) => name)
}
