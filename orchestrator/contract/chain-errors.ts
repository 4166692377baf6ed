/** Tells a contract's refusal from a chain that could not be asked. */
import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError, ExecutionRevertedError } from "viem"

/** JSON-RPC's code for "execution reverted". */
const REVERTED = 3

/** Did the call run and revert (or answer with nothing)? False for transport failures and limits. */
export const isRevert = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) =>
      cause instanceof ExecutionRevertedError ||
      cause instanceof ContractFunctionRevertedError ||
      cause instanceof ContractFunctionZeroDataError ||
      (cause as { code?: unknown }).code === REVERTED ||
      // Hardhat and Ganache answer with an internal error that says so only in words.
      /\breverted\b|invalid opcode|out of gas/i.test((cause as { details?: string }).details ?? ""),
  ) !== null
