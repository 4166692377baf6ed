import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { fromPointer, toPointer, valueAt } from "../../orchestrator/json/index.ts"

describe("JSON pointers (RFC 6901)", () => {
  // The document and the pointers of RFC 6901 §5.
  const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8 }
  const cases: [pointer: string, value: unknown][] = [
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
    ["/foo/2", undefined],
    ["/foo/-", undefined],
    ["/foo/00", undefined],
    ["/toString", undefined],
    ["/foo/0/x", undefined],
  ]
  for (const [pointer, value] of cases) it(JSON.stringify(pointer), () => assert.deepEqual(valueAt(document, pointer), value))

  it("round-trips any path", () => {
    fc.assert(fc.property(fc.array(fc.string()), (path) => assert.deepEqual(fromPointer(toPointer(path)), path)))
  })

  for (const bad of ["a", "/a~2", "/~"]) it(`refuses ${bad}`, () => assert.throws(() => fromPointer(bad), { code: "json-pointer" }))
})
