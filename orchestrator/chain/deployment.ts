/**
 * What is deployed where: `deployments/<chainId>.json`, written by `scripts/deploy.ts`, read by everything that talks to the chain.
 */
import { readFileSync } from "node:fs"
import { type Address, getAddress, type Hex, isAddress, isHex } from "viem"
import { z } from "zod"
import { AfgError } from "../errors.ts"

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), "not an address")
  .transform((text): Address => getAddress(text))
const hash = z
  .string()
  .refine((text): text is Hex => isHex(text) && text.length === 66, "not 32 bytes of hex")
  .transform((text): Hex => text as Hex)

const contract = z.strictObject({
  address,
  /** keccak256 of the code that is on chain. */
  codeHash: hash,
})

const schema = z.strictObject({
  chainId: z.number().int().positive(),
  contracts: z.strictObject({
    AFGResolver: contract,
    ERC8183Escrow: contract,
    TestUSDC: contract,
    P256Verifier: contract,
    Batcher: contract,
  }),
  /** Of a completed job's price, in hundredths of a percent. */
  feeBps: z.number().int().min(0).max(10_000),
  treasury: address,
  /** keccak256 of the creation code without constructor arguments: the same wherever the same sources are deployed. */
  bytecodeHashes: z.strictObject({
    AFGResolver: hash,
    ERC8183Escrow: hash,
    TestUSDC: hash,
    P256Verifier: hash,
    Batcher: hash,
  }),
})

/** One chain's deployment. */
export type Deployment = z.infer<typeof schema>
export type ContractName = keyof Deployment["contracts"]

/** Checks a parsed document. Throws `deployment-unreadable` with a pointer to the member at fault. */
export const parseDeployment = (document: unknown): Deployment => {
  const parsed = schema.safeParse(document)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = `/${issue?.path.join("/") ?? ""}`
  throw new AfgError("deployment-unreadable", `not a deployment: ${issue?.message ?? "invalid"}`, { path })
}

/** Reads `file`. Throws `deployment-unreadable`. */
export const readDeployment = (file: string): Deployment => {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new AfgError("deployment-unreadable", `cannot read ${file}`, { cause })
  }
  return parseDeployment(document)
}
