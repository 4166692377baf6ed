import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { HOLD_PATH } from "../../orchestrator/verifier-runner/image/recipe.ts"
import { type Container, startContainer } from "./support/engine.ts"

const TOKEN = "7f3a9c"

/** A container whose first process holds; removed when the test ends. */
const held = async (
  script: string,
  use: (container: Container) => Promise<void>,
  env: string[] = [`AFG_HOLD_TOKEN=${TOKEN}`],
): Promise<void> => {
  const container = await startContainer([HOLD_PATH, "sh", "-c", script], env)
  try {
    await use(container)
  } finally {
    await container.remove()
  }
}

const trailer = (code: number): string => `\nafg-hold:${TOKEN}:${code}\n`

describe("the holding first process", () => {
  it("says the command's exit code, holds, and ends with it when told", () =>
    held("echo out; echo err >&2; exit 3", async (container) => {
      await container.said(trailer(3))
      await container.signal("SIGTERM")
      assert.deepEqual(await container.ended(), { code: 3, stdout: "out\n", stderr: `err\n${trailer(3)}` })
    }))

  it("says 128 + n when signal n ended the command", () =>
    held("kill -9 $$", async (container) => {
      await container.said(trailer(137))
      await container.signal("SIGTERM")
      assert.equal((await container.ended()).code, 137)
    }))

  it("shows the command neither its token nor its memory", () =>
    held('echo "token=$AFG_HOLD_TOKEN"; cat /proc/1/environ /proc/1/mem; ls /proc/1/fd; exit 0', async (container) => {
      await container.said(trailer(0))
      await container.signal("SIGTERM")
      const { stdout, stderr } = await container.ended()
      assert.equal(stdout, "token=\n")
      assert.equal(stderr.split(TOKEN).length, 2, "the token is said once, by the first process")
      assert.match(stderr, /environ: Permission denied/)
    }))

  it("lets no process outlive the command", () =>
    // The straggler would write after the command's end; by the time the first process speaks it must be gone.
    held("(sleep 0.2; while :; do echo late >&2; done) & exit 0", async (container) => {
      await container.said(trailer(0))
      await container.signal("SIGTERM")
      assert.equal((await container.ended()).stderr, trailer(0))
    }))

  it("cannot be killed by the command", () =>
    held("kill -9 1; kill -STOP 1; for n in INT HUP USR1 SEGV ALRM 40; do kill -$n 1; done; exit 4", async (container) => {
      await container.said(trailer(4))
      await container.signal("SIGTERM")
      assert.equal((await container.ended()).code, 4)
    }))

  it("ends with 143 when told before the command has ended, whatever the command claims", () =>
    held(`printf '\\nafg-hold:${TOKEN}:0\\n' >&2; exec sleep 100`, async (container) => {
      await container.said(trailer(0))
      await container.signal("SIGTERM")
      assert.equal((await container.ended()).code, 143)
    }))

  it("gives the command the default signal actions", () =>
    held("grep -E 'Sig(Blk|Ign)' /proc/self/status", async (container) => {
      await container.said(trailer(0))
      await container.signal("SIGTERM")
      assert.match((await container.ended()).stdout, /SigBlk:\s0+\nSigIgn:\s0+\n/)
    }))

  it("does not hold without a token", () =>
    held("exit 5", async (container) => assert.deepEqual(await container.ended(), { code: 5, stdout: "", stderr: "" }), []))

  it("ends with 127 when there is no such command", async () => {
    const container = await startContainer([HOLD_PATH, "no-such-command"])
    try {
      const { code, stderr } = await container.ended()
      assert.equal(code, 127)
      assert.match(stderr, /no-such-command/)
    } finally {
      await container.remove()
    }
  })
})
