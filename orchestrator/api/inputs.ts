/** What the store holds of a contract's inputs, and whether it keeps the sealed ones to itself. */
import type { Contract } from "../contract/index.ts"
import { blobHash, type Store } from "../store/index.ts"
import { readManifest, storedInput } from "../verifier-runner/files/stored.ts"

type Input = Contract["inputs"][number]

/** An artifact as it was stored, or null. */
export const findArtifact = async (store: Store, reference: string): Promise<{ sealed: boolean; size: number; owner: string } | null> => {
  const row = await store.db
    .selectFrom("afg.artifacts")
    .select(["sealed", "size", "owner"])
    .where("sha256", "=", blobHash(reference))
    .executeTakeFirst()
  return row === undefined ? null : { sealed: row.sealed, size: Number(row.size), owner: row.owner }
}

/** Names of the inputs that are not there whole. */
export const missingInputs = async (store: Store, contract: Contract): Promise<string[]> => {
  const held = await Promise.all(
    contract.inputs.map(async (input) => ({ name: input.name, there: (await storedInput(store.blobs, input)) !== null })),
  )
  return held.filter(({ there }) => !there).map(({ name }) => name)
}

/** The hashes of everything that makes up an input: itself, and a folder's files. */
const hashesOf = async (store: Store, { sha256 }: Input): Promise<string[]> => {
  if (!(await store.blobs.has(sha256))) return [sha256]
  return [sha256, ...(readManifest(await store.blobs.get(sha256)) ?? []).map((entry) => entry.sha256)]
}

/**
 * Names of sealed inputs that the buyer stored so that anyone can read them. A file of a sealed folder that is open for another reason (it is
 * in an open input too, or somebody else had the same bytes) gives nothing away by us.
 */
export const openedInputs = async (store: Store, contract: Contract): Promise<string[]> => {
  const sealed = contract.inputs.filter((input) => input.sealed)
  const opened: string[] = []
  if (sealed.length === 0) return opened
  const shown = new Set((await Promise.all(contract.inputs.filter((one) => !one.sealed).map((one) => hashesOf(store, one)))).flat())
  const buyer = contract.buyer.wallet.toLowerCase()
  for (const input of sealed) {
    const hashes = (await hashesOf(store, input)).filter((hash) => !shown.has(hash))
    const found = await Promise.all(hashes.map(async (hash) => ({ hash, artifact: await findArtifact(store, hash) })))
    const isOpen = found.some(
      ({ hash, artifact }) => artifact !== null && !artifact.sealed && (hash === input.sha256 || artifact.owner === buyer),
    )
    if (isOpen) opened.push(input.name)
  }
  return opened
}
