import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { ageRecipientOf, isAgeRecipient } from "../../orchestrator/contract/index.ts"

describe("age recipients", () => {
  it("takes the one in age's own documentation", () => {
    assert.equal(isAgeRecipient("age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"), true)
  })

  it("writes what it reads, and notices any one changed character", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.nat(57),
        fc.constantFrom(..."qpzry9x8gf2tvdw0s3jn54khce6mua7l"),
        (key, at, char) => {
          const recipient = ageRecipientOf(key)
          assert.equal(isAgeRecipient(recipient), true)
          const changed = `${recipient.slice(0, 4 + at)}${char}${recipient.slice(5 + at)}`
          assert.equal(isAgeRecipient(changed), changed === recipient)
        },
      ),
    )
  })

  for (const text of ["", "age1", `AGE1${"Q".repeat(58)}`, `age1${"b".repeat(58)}`])
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(isAgeRecipient(text), false))
})
