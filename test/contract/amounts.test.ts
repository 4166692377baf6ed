import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { formatUnits, parseUnits } from "ethers"
import fc from "fast-check"
import { formatAmount, fromUnix, parseAmount, toUnix } from "../../orchestrator/contract/index.ts"

describe("amounts", () => {
  const cases: [text: string, units: bigint][] = [
    ["40.00", 40_000_000n],
    ["0", 0n],
    ["0.000001", 1n],
    ["24.625", 24_625_000n],
    ["30.000001", 30_000_001n],
  ]
  for (const [text, units] of cases) it(`${text} is ${units} units of six places`, () => assert.equal(parseAmount(text, 6), units))

  for (const text of ["", ".5", "5.", "01", "+1", "-1", "1e3", "1,000", " 1", "1 ", "0x10", "1_000", "١", "NaN", "1.0000000"])
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseAmount(text, 6, "/a"), { code: "amount-format", path: "/a" }))

  it("are written with two places or as many as needed", () => {
    assert.deepEqual(
      [39_400_000n, 24_625_000n, 0n, 1n, 8_499_999n, -600_000n].map((units) => formatAmount(units, 6)),
      ["39.40", "24.625", "0.00", "0.000001", "8.499999", "-0.60"],
    )
    assert.equal(formatAmount(5n, 0), "5")
  })

  it("round-trip, and agree with ethers", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        const text = formatAmount(units, decimals)
        assert.equal(parseAmount(text, decimals), units)
        assert.equal(parseUnits(text, Math.max(decimals, 2)) / 10n ** BigInt(Math.max(0, 2 - decimals)), units)
        assert.equal(Number(formatUnits(units, decimals)), Number(text))
      }),
    )
  })
})

describe("times", () => {
  it("round-trip whole seconds", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => assert.equal(toUnix(fromUnix(seconds)), seconds)))
    assert.equal(fromUnix(1_790_366_400), "2026-09-25T20:00:00Z")
  })
})
