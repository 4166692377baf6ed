/** The service's public keys, as verifiers fetch them (AACP §7.2). */
import type { AnswerSigner } from "./answers.ts"
import { erc7913Signer } from "./signer.ts"

/** A JWK Set of one key. `erc7913` has, per chain, what a contract names as `buyer.confirmer`. */
export const publicJwks = ({ key, chains }: Pick<AnswerSigner, "key" | "chains">, issuer: string): { keys: Record<string, unknown>[] } => ({
  keys: [
    {
      kty: "EC",
      crv: "P-256",
      x: Buffer.from(key.x).toString("base64url"),
      y: Buffer.from(key.y).toString("base64url"),
      kid: key.kid,
      alg: "ES256",
      use: "sig",
      iss: issuer,
      nbf: key.nbf,
      erc7913: chains.map((chain) => ({ chain_id: chain.chainId, signer: erc7913Signer(key, chain.verifier) })),
    },
  ],
})
