import assert from "node:assert/strict"
import { describe, test } from "node:test"
import fc from "fast-check"
import { createRateLimit } from "../../../orchestrator/confirmation-service/http/rate-limit.ts"
import { askAbout, fetchAnswer, startWorld } from "../support/world.ts"

describe("a bucket of tokens", () => {
  test("lets a burst pass, then what comes back, and says when", () => {
    let now = 0
    const limit = createRateLimit({ burst: 3, perSecond: 2, clock: () => now })
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limit.take("a")),
      [null, null, null, 1],
    )
    assert.equal(limit.take("b"), null, "another caller has a bucket of its own")
    now = 500
    assert.deepEqual([limit.take("a"), limit.take("a")], [null, 1])
  })

  test("never grants more than the burst and the refill (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (steps) => {
        let now = 0
        const limit = createRateLimit({ burst: 5, perSecond: 3, clock: () => now })
        let granted = 0
        for (const step of steps) {
          now += step
          if (limit.take("a") === null) granted += 1
        }
        assert.ok(granted <= 5 + (now / 1_000) * 3 + 1e-6)
      }),
    )
  })

  test("forgets the longest unseen callers, not all of them", () => {
    const limit = createRateLimit({ burst: 1, perSecond: 0.001, clock: () => 0 })
    limit.take("last")
    for (let n = 0; n < 9_999; n++) limit.take(String(n))
    assert.notEqual(limit.take("last"), null)
    for (let n = 10_000; n < 20_001; n++) limit.take(String(n))
    assert.equal(limit.take("last"), null)
  })
})

describe("a flood of questions", () => {
  test("is refused with a time to come back", async (t) => {
    const world = await startWorld(t)
    const request = await askAbout(world)
    const replies = await Promise.all(Array.from({ length: 400 }, () => fetchAnswer(world.service, request["request-id"])))
    const refused = replies.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0)
    for (const { body, headers } of refused) {
      assert.equal(body.code, "rate-limited")
      assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    }
  })
})
