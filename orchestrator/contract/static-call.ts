/** Asks a contract as another contract would ask it: by STATICCALL, in which it cannot write. An `eth_call` alone lets it. */
import { type Hex, numberToHex, type PublicClient, size } from "viem"
import type { Address } from "../types.ts"

/** Bytes of the program below, after which the call's data stands. */
const PROGRAM_LENGTH = 0x3b

const uint16 = (value: number): string => numberToHex(value, { size: 2 }).slice(2)

/** Initialization code that makes one static call and returns what came back, or reverts when the call did. */
const program = (to: Address, data: Hex): Hex => {
  const length = uint16(size(data))
  const code = [
    `61${length}61${uint16(PROGRAM_LENGTH)}600039`, // CODECOPY(0, PROGRAM_LENGTH, length)
    `6000600061${length}600073${to.slice(2)}5afa`, // STATICCALL(gas, to, 0, length, 0, 0)
    "603057600080fd", // JUMPI(0x30); REVERT(0, 0)
    "5b3d600060003e3d6000f3", // 0x30: RETURNDATACOPY(0, 0, size); RETURN(0, size)
  ].join("")
  return `0x${code}${data.slice(2)}`
}

/** The answer's bytes. Throws as viem's `call` does, also when the contract reverts or writes. */
export const staticCall = async (client: Pick<PublicClient, "call">, to: Address, data: Hex): Promise<Hex> =>
  (await client.call({ data: program(to, data) })).data ?? "0x"
