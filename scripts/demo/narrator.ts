/**
 * Tells what happens, a line per step: what was done, what was checked, what it cost.
 *
 * On a terminal the running step shows a spinner and its elapsed time; elsewhere only finished lines are written.
 */
import type { WriteStream } from "node:tty"

export type Step = {
  /** What was checked and found, shown behind the title. */
  note: string
  /** Gas used by the step's transactions. */
  gas?: bigint
}

export type Narrator = {
  heading: (text: string) => void
  /** Runs one step. Its line is final when `action` has resolved; a failure is shown and thrown on. */
  step: <T extends Step>(who: string, title: string, action: () => Promise<T>) => Promise<T>
  /** A line beside the steps, such as a process started again. */
  aside: (text: string) => void
  totalGas: () => bigint
}

export type Output = Pick<NodeJS.WriteStream, "write"> & { isTTY?: boolean; columns?: number }

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const FRAME_MS = 80
const WHO_WIDTH = 12
const TITLE_WIDTH = 50

const clip = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`)

const cost = (milliseconds: number, gas: bigint | undefined): string => {
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`
  return gas === undefined ? seconds : `${gas.toLocaleString("en-US")} gas, ${seconds}`
}

export const createNarrator = (output: Output): Narrator => {
  const terminal = output.isTTY === true
  const paint = (code: number, text: string): string => (terminal ? `\u001b[${code}m${text}\u001b[0m` : text)
  const bold = (text: string) => paint(1, text)
  const dim = (text: string) => paint(2, text)
  const clearLine = (): void => {
    if (terminal) output.write("\r\u001b[2K")
  }
  let number = 0
  let gasTotal = 0n

  const step: Narrator["step"] = async (who, title, action) => {
    number += 1
    const label = `${String(number).padStart(2)}  ${who.padEnd(WHO_WIDTH)}`
    const started = performance.now()
    let frame = 0
    const draw = (): void => {
      const elapsed = ((performance.now() - started) / 1000).toFixed(1)
      const line = clip(` ${FRAMES[frame++ % FRAMES.length]} ${label} ${title} … ${elapsed} s`, (output.columns ?? 100) - 1)
      output.write(`\r\u001b[2K${line}`)
    }
    const spinner = terminal ? setInterval(draw, FRAME_MS) : undefined
    if (terminal) draw()
    try {
      const result = await action()
      clearInterval(spinner)
      clearLine()
      gasTotal += result.gas ?? 0n
      const price = cost(performance.now() - started, result.gas)
      output.write(` ${paint(32, "✓")} ${label} ${bold(title.padEnd(TITLE_WIDTH))} ${result.note} ${dim(`(${price})`)}\n`)
      return result
    } catch (error) {
      clearInterval(spinner)
      clearLine()
      output.write(` ${paint(31, "✗")} ${label} ${bold(title)}: ${error instanceof Error ? error.message : String(error)}\n`)
      throw error
    }
  }

  return {
    heading: (text) => output.write(`\n${bold(text)}\n`),
    step,
    aside: (text) => {
      clearLine()
      output.write(` ${paint(33, "•")} ${text}\n`)
    },
    totalGas: () => gasTotal,
  }
}

/** What `process.stderr` is, as far as the narrator cares. */
export const asOutput = (stream: NodeJS.WriteStream | WriteStream): Output => stream
