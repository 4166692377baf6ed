/** Parts of a run that need no container: frames, the hold's line, counters of the kernel. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { frameSplitter, type OutputPart } from "../../../orchestrator/verifier-runner/engine/attach.ts"
import { oomCounterFiles, oomKills } from "../../../orchestrator/verifier-runner/engine/oom.ts"
import { collectOutput } from "../../../orchestrator/verifier-runner/engine/output.ts"

const frame = (stream: 1 | 2, bytes: Buffer): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

describe("the engine's frames", () => {
  it("are put together however they come apart", () => {
    const part = fc.record({ stream: fc.constantFrom(1 as const, 2 as const), bytes: fc.uint8Array({ maxLength: 30 }) })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (parts, cuts) => {
        const whole = Buffer.concat(parts.map(({ stream, bytes }) => frame(stream, Buffer.from(bytes))))
        const got: Record<string, Buffer[]> = { stdout: [], stderr: [] }
        const split = frameSplitter(({ stream, bytes }) => got[stream]?.push(bytes))
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1
          split(whole.subarray(at, at + size))
          at += size
        }
        for (const [name, stream] of [
          ["stdout", 1],
          ["stderr", 2],
        ] as const)
          assert.deepEqual(
            Buffer.concat(got[name] ?? []),
            Buffer.concat(parts.filter((one) => one.stream === stream).map(({ bytes }) => Buffer.from(bytes))),
          )
      }),
    )
  })
})

describe("the hold's line", () => {
  const collect = (parts: OutputPart[], limit = 1_000) => {
    const events: unknown[] = []
    const output = collectOutput("secret", limit, { onHold: (code) => events.push(code), onOverflow: () => events.push("overflow") })
    for (const part of parts) output.take(part)
    return { events, stderr: output.stderr().toString(), stdout: output.stdout().toString() }
  }
  const err = (text: string): OutputPart => ({ stream: "stderr", bytes: Buffer.from(text) })
  const out = (text: string): OutputPart => ({ stream: "stdout", bytes: Buffer.from(text) })

  it("is found in pieces, and left out of the output", () => {
    assert.deepEqual(collect([err("words"), err("\nafg-hold:se"), err("cret:7\n")]), { events: [7], stderr: "words", stdout: "" })
  })

  it("is not found with another token, on standard output, or in the middle", () => {
    assert.deepEqual(collect([err("\nafg-hold:other:0\n"), out("\nafg-hold:secret:0\n"), err("\nafg-hold:secret:0\nmore")]).events, [])
  })

  it("ends the output: what comes after it counts for nothing", () => {
    assert.equal(collect([err("\nafg-hold:secret:0\n"), out("late")]).stdout, "")
  })

  it("is not waited for once there is too much output", () => {
    assert.deepEqual(collect([out("x".repeat(20)), err("\nafg-hold:secret:0\n")], 10).events, ["overflow"])
  })
})

describe("the kernel's count of processes killed for want of memory", () => {
  it("is looked for where the memory controller is", () => {
    assert.deepEqual(oomCounterFiles("9:name=systemd:/x\n4:memory:/lib/a\n0::/lib/a\n"), [
      "/sys/fs/cgroup/memory/lib/a/memory.oom_control",
      "/sys/fs/cgroup/lib/a/memory.events",
      "/sys/fs/cgroup/unified/lib/a/memory.events",
    ])
    assert.deepEqual(oomCounterFiles("0::/docker/a\n")[0], "/sys/fs/cgroup/docker/a/memory.events")
    assert.deepEqual(oomCounterFiles(""), [])
  })

  it("is read from both kernels' files", () => {
    assert.equal(oomKills("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2)
    assert.equal(oomKills("low 0\nhigh 0\nmax 9\noom 3\noom_kill 0\n"), 0)
    assert.equal(oomKills("oom 3\n"), undefined)
  })
})
