/**
 * Hardhat works offline here: Solidity is compiled by npm's `solc` (its `soljson.js` is the compiler itself), and the version is read
 * from that package, because Hardhat does not notice when the two differ.
 */
import { createRequire } from "node:module"
import toolboxViem from "@nomicfoundation/hardhat-toolbox-viem"
import { defineConfig } from "hardhat/config"

const require = createRequire(import.meta.url)
const { version } = require("solc/package.json") as { version: string }
const path = require.resolve("solc/soljson.js")

const settings = {
  viaIR: true,
  optimizer: { enabled: true, runs: 100_000 },
  // The P-256 precompile that checks confirmations exists from this hardfork on.
  evmVersion: "osaka",
  metadata: { bytecodeHash: "none" },
}

export default defineConfig({
  plugins: [toolboxViem],
  solidity: {
    // One profile for everything: tests run the code that is deployed, and the code hashes in deployments/ are those of tests.
    profiles: { default: { version, path, settings }, production: { version, path, settings } },
    npmFilesToBuild: ["@openzeppelin/contracts/utils/cryptography/verifiers/ERC7913P256Verifier.sol"],
  },
  paths: { tests: { nodejs: "./test/contracts", solidity: "./test/contracts" } },
  networks: {
    default: { type: "edr-simulated", chainType: "l1", hardfork: "osaka", allowBlocksWithSameTimestamp: true },
    node: { type: "edr-simulated", chainType: "l1", hardfork: "osaka" },
  },
  test: {
    solidity: {
      fuzz: { runs: 256, seed: "0x41464721" },
      invariant: { runs: 64, depth: 64, failOnRevert: false },
    },
  },
})
