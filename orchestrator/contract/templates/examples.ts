/**
 * The templates that `afg contract template` prints: complete, deterministic, with made-up but well-formed hashes and addresses.
 *
 * Keys are derived from public words, so that a reader can play every role. They protect nothing.
 */
import { createECDH, createPrivateKey, createPublicKey } from "node:crypto"
import { getAddress } from "viem"
import { AfgError } from "../../errors.ts"
import { digestOf, sha256Hex } from "../../json/index.ts"
import { type Address, type Hex, toBytes32 } from "../../types.ts"
import { ageRecipientOf } from "../age-recipient.ts"
import type { Contract } from "../schema/contract.ts"
import { toUnix } from "../times.ts"
import { buildClaimFileContract } from "./claim-file.ts"
import { buildCodeFixContract, type CodeFixWork } from "./code-fix.ts"
import type { Deployment, Participants } from "./participants.ts"
import { buildSchemaValidContract } from "./schema-valid.ts"

export const TEMPLATE_NAMES = ["code-fix", "claim-file", "schema"] as const
export type TemplateName = (typeof TEMPLATE_NAMES)[number]

type ExampleRole = "buyer" | "provider" | "verifier" | "fallback" | "mediator" | `panelist-${1 | 2 | 3 | 4 | 5}`

export type ExampleOptions = {
  /** Who plays which role. */
  addressOf: (role: ExampleRole) => Address
  /** Digest of the runner image, where one has been built. */
  runner_image?: string | undefined
  /** The work of example A, where set-up has built it; made-up hashes otherwise. */
  code_fix?: Omit<CodeFixWork, "runner_image"> | undefined
  /** Where the ERC-8183 rail is deployed; made-up addresses otherwise. */
  erc8183?: Pick<Deployment, "token" | "escrow" | "resolver"> | undefined
}

const CREATED_AT = toUnix("2026-09-25T20:00:00Z")
const LOCAL_CHAIN = 31337
const PANELISTS = ["panelist-1", "panelist-2", "panelist-3", "panelist-4", "panelist-5"] as const
const MODEL_PROVIDERS = ["provider-A", "provider-B", "provider-C", "provider-D", "provider-E"] as const

const word = (what: string): ReturnType<typeof sha256Hex> => sha256Hex(`afg example: ${what}`)
const madeUpAddress = (what: string): Address => getAddress(`0x${word(what).slice(0, 40)}`)

/** An age recipient whose identity is derived from the role's name: for local networks, where nothing is secret. */
const exampleRecipient = (role: string): string => {
  // RFC 8410: an X25519 private key in PKCS #8 is this prefix and the 32 bytes.
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), Buffer.from(word(`encryption key of ${role}`), "hex")]),
    format: "der",
    type: "pkcs8",
  })
  return ageRecipientOf(createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32))
}

/** ERC-7913 signer bytes: a verifier contract for P-256, then the key's x and y. */
const exampleConfirmer = (): Hex => {
  const curve = createECDH("prime256v1")
  curve.setPrivateKey(word("confirmation service"), "hex")
  return `${madeUpAddress("p256 verifier").toLowerCase() as Hex}${curve.getPublicKey("hex").slice(2)}`
}

const NOT_AUDITED = "Not audited. A development deployment on chain 31337, where nothing of value can be locked.\n"

const deploymentOf = (rail: string, known?: ExampleOptions["erc8183"]): Deployment => ({
  chain_id: LOCAL_CHAIN,
  token: madeUpAddress("token"),
  escrow: madeUpAddress(`${rail} escrow`),
  resolver: madeUpAddress(`${rail} resolver`),
  vault: madeUpAddress("vault"),
  audit_ref: { uri: `data:text/plain;base64,${Buffer.from(NOT_AUDITED).toString("base64")}`, sha256: sha256Hex(NOT_AUDITED) },
  ...known,
})

const people = (addressOf: ExampleOptions["addressOf"], job: { buyer: string; provider: string; mediator: string }): Participants => ({
  buyer: { agent_id: job.buyer, wallet: addressOf("buyer"), operator_id: "operator.buyer", confirmer: exampleConfirmer() },
  provider: { agent_id: job.provider, wallet: addressOf("provider"), operator_id: "operator.provider" },
  verifier: {
    verifier_id: "verifier.one",
    attestation_key: addressOf("verifier"),
    encryption_key: exampleRecipient("verifier"),
    fallback_pool: "verifiers.pool",
  },
  fallback: { verifier_id: "verifier.two", attestation_key: addressOf("fallback"), encryption_key: exampleRecipient("fallback") },
  mediator: {
    mediator_id: job.mediator,
    model_provider: "provider-F",
    key: addressOf("mediator"),
    encryption_key: exampleRecipient("mediator"),
    selection_proof: {
      seed_commit_buyer: word("buyer's seed"),
      seed_commit_provider: word("provider's seed"),
      draw_tx: toBytes32(word("draw")),
    },
    conflict_check_ref: digestOf({
      mediator: addressOf("mediator"),
      buyer: addressOf("buyer"),
      provider: addressOf("provider"),
      depth: 2,
      from_block: 0,
      to_block: 0,
      findings: [],
    }),
  },
  roster: PANELISTS.map((role, index) => ({
    wallet: addressOf(role),
    model_provider: MODEL_PROVIDERS[index] ?? role,
    operator_id: `operator.${role}`,
    encryption_key: exampleRecipient(role),
  })),
})

const pinned = (uri: string): { uri: string; sha256: ReturnType<typeof sha256Hex> } => ({ uri, sha256: word(uri) })

const MADE_UP_CODE_FIX: Omit<CodeFixWork, "runner_image"> = {
  repo: pinned("git+https://example.com/acme/ledger-lib"),
  base_commit: word("base commit").slice(0, 40),
  tests: pinned("tests/"),
  hidden_tests: { sha256: word("hidden tests") },
  target_tests: ["tests/test_round.py::test_round_half_even"],
}

/** A complete example contract. Throws `template-unknown`. */
export const exampleContract = (name: string, { addressOf, runner_image, code_fix, erc8183 }: ExampleOptions): Contract => {
  const image = runner_image ?? `sha256:${word("runner image")}`
  switch (name) {
    case "code-fix":
      return buildCodeFixContract({
        job_id: "afg:job:01M0AFGC0DEF1X000000000001",
        created_at: CREATED_AT,
        escrow_ref: "7741",
        people: people(addressOf, { buyer: "buyer.acme-ci", provider: "fixer.pyagent", mediator: "med.pool.0192" }),
        deployment: deploymentOf("erc8183", erc8183),
        work: { ...(code_fix ?? MADE_UP_CODE_FIX), runner_image: image },
      })
    case "claim-file":
      return buildClaimFileContract({
        job_id: "afg:job:01M0AFGED1F1X0000000000001",
        created_at: CREATED_AT,
        payment_info_hash: toBytes32(word("payment info")),
        salt: toBytes32(word("salt")),
        people: people(addressOf, { buyer: "billing.clinicbot", provider: "edi.fixer", mediator: "med.pool.0447" }),
        deployment: deploymentOf("x402_authcapture"),
        work: {
          source: pinned("ipfs://example/batch_0925.837"),
          invariants_script: pinned("ipfs://example/x12_invariants.py"),
          known_payer_ccn: pinned("ipfs://example/ccn_map.json"),
          runner_image: image,
          validator: "afg-snip",
          validator_version: "0.1.0",
        },
      })
    case "schema":
      return buildSchemaValidContract({
        job_id: "afg:job:01M0AFGSCHEMA0000000000001",
        created_at: CREATED_AT,
        escrow_ref: "7742",
        people: people(addressOf, { buyer: "buyer.data-desk", provider: "cleaner.agent", mediator: "med.pool.0192" }),
        deployment: deploymentOf("erc8183", erc8183),
        schema: pinned("ipfs://example/record.schema.json"),
      })
    default:
      throw new AfgError("template-unknown", `no template ${name}: there are ${TEMPLATE_NAMES.join(", ")}`)
  }
}
