/** What the driver writes on standard output, as data. */
import { z } from "zod"
import type { RunOutcome } from "../../engine/types.ts"

const ids = z.array(z.string().max(65_536))
const record = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("collected"), ids }),
  z.object({ kind: z.literal("deselected"), ids }),
  z.object({ kind: z.literal("collect_failed"), id: z.string() }),
  z.object({ kind: z.literal("static"), file: z.string(), tests: ids.nullable() }),
  z.object({ kind: z.literal("outcome"), id: z.string(), outcome: z.enum(["passed", "failed", "error", "skipped", "xfailed"]) }),
  z.object({ kind: z.literal("tampered"), names: z.array(z.string()) }),
  z.object({ kind: z.literal("report"), sha256: z.string() }),
  z.object({ kind: z.literal("end"), exit: z.int() }),
])

export type DriverRecord = z.infer<typeof record>
export type TestOutcome = Extract<DriverRecord, { kind: "outcome" }>["outcome"]

const base64 = z.string().transform((text): Buffer => Buffer.from(text, "base64"))

const jobAnswer = z.object({
  job: z.int(),
  /** A file that was collected once more, alone. */
  file: z.string().optional(),
  records: z.array(record),
  clean: z.boolean(),
  exit: z.int().nullable(),
  signal: z.int().nullable(),
  report: base64.nullable(),
  report_sha256: z.string().nullable(),
  log: base64,
  log_truncated: z.boolean(),
})

export type JobAnswer = z.infer<typeof jobAnswer>

/** All answers, and whether the driver said that it was done; null when a line is not the driver's. */
export const readDriverOutput = (outcome: RunOutcome): { answers: JobAnswer[]; complete: boolean } | null => {
  const answers: JobAnswer[] = []
  let complete = false
  for (const line of outcome.stdout.toString("utf8").split("\n")) {
    if (line === "") continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return null
    }
    if (complete) return null
    if (typeof value === "object" && value !== null && "end" in value) {
      complete = true
      continue
    }
    const answer = jobAnswer.safeParse(value)
    if (!answer.success) return null
    answers.push(answer.data)
  }
  return { answers, complete }
}
