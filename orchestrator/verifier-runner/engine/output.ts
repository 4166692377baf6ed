/** Collects what a container writes, within a cap, and recognizes the holding first process' last line. */
import type { OutputPart } from "./attach.ts"

export type OutputEvents = { onHold: (code: number) => void; onOverflow: () => void }

export type Collected = { take: (part: OutputPart) => void; stdout: () => Buffer; stderr: () => Buffer }

/** The hold's line may come in pieces: this much of the end of standard error is searched. */
const TAIL_BYTES = 256

/** `token` is known to the hold and to us; whoever writes another line like it says nothing. */
export const collectOutput = (token: string, limit: number, { onHold, onOverflow }: OutputEvents): Collected => {
  const chunks: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  const line = new RegExp(`\\nafg-hold:${token}:(\\d+)\\n$`)
  let size = 0
  let tail = ""
  let done = false
  const take = ({ stream, bytes }: OutputPart): void => {
    if (done) return
    size += bytes.length
    if (size > limit) {
      done = true
      onOverflow()
      return
    }
    chunks[stream].push(bytes)
    if (stream !== "stderr") return
    tail = (tail + bytes.toString("latin1")).slice(-TAIL_BYTES)
    const code = line.exec(tail)?.[1]
    if (code === undefined) return
    done = true
    onHold(Number(code))
  }
  return {
    take,
    stdout: () => Buffer.concat(chunks.stdout),
    stderr: () => {
      const bytes = Buffer.concat(chunks.stderr)
      const match = line.exec(bytes.subarray(-TAIL_BYTES).toString("latin1"))
      return match ? bytes.subarray(0, bytes.length - match[0].length) : bytes
    },
  }
}
