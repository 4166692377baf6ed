/** `afg contract template`. */
import { type CodeFixWork, type Deployment, exampleContract, TEMPLATE_NAMES } from "../../contract/index.ts"
import { LOCAL_CHAIN_ID, localAccount } from "../../local-accounts.ts"
import { readSetupRecord } from "../../setup-record.ts"
import type { CliIo, CommandResult } from "../io.ts"
import { deploymentOf } from "../rpc.ts"

const RUNNER_IMAGE = "runner-python"

/** The digest of the image that set-up built here, so that the example can be run. */
const builtImage = (env: CliIo["env"]): string | undefined => {
  try {
    return readSetupRecord(env).images.find(({ name }) => name === RUNNER_IMAGE)?.runner_image
  } catch {
    // Not set up: the template carries a made-up digest.
    return undefined
  }
}

const localDeployment = (): Pick<Deployment, "token" | "escrow" | "resolver"> | undefined => {
  const contracts = deploymentOf(LOCAL_CHAIN_ID, {})?.contracts
  return (
    contracts && { token: contracts.TestUSDC.address, escrow: contracts.ERC8183Escrow.address, resolver: contracts.AFGResolver.address }
  )
}

/** The repository and suites of example A, where set-up has built them. */
const builtWork = async (env: CliIo["env"]): Promise<CodeFixWork | undefined> => {
  const { codeFixFixture, codeFixWork } = await import("../../../scripts/fixtures/code-fix.ts")
  try {
    return codeFixWork(codeFixFixture(env), "")
  } catch {
    // Not set up: the template carries made-up hashes.
    return undefined
  }
}

/** A complete example contract between the local network's accounts; without a name, the names. */
export const template = async (name: string | undefined, env: CliIo["env"]): Promise<CommandResult> => {
  if (name === undefined) return { exit: 0, json: { templates: TEMPLATE_NAMES }, text: TEMPLATE_NAMES.join("\n") }
  return {
    exit: 0,
    json: exampleContract(name, {
      addressOf: (role) => localAccount(role).address,
      runner_image: builtImage(env),
      code_fix: name === "code-fix" ? await builtWork(env) : undefined,
      erc8183: localDeployment(),
    }),
  }
}
