/** The buyer agent's side of the confirmation service: takes the request there, waits for the human, brings the answer back. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ConfirmationBody } from "../../orchestrator/api/schemas.ts"
import type { ConfirmationRequest } from "../../orchestrator/client/client.ts"
import { AfgError } from "../../orchestrator/errors.ts"
import { projectRoot } from "../../orchestrator/setup-record.ts"
import type { LocalNetwork } from "../local/network.ts"

export type Answer = { decision: "confirmed" | "denied"; evidence: string; confirmation: ConfirmationBody | undefined }

const REQUEST_TYPE = "application/aacp-confirmation-request+json"
const LONG_POLL_SECONDS = 25

/** Hands the request in. The service shows it to the person; nothing is decided here. */
export const handIn = async (network: LocalNetwork, request: ConfirmationRequest): Promise<string> => {
  const response = await fetch(`${network.confirmation.url}/requests`, {
    method: "POST",
    headers: { "content-type": REQUEST_TYPE },
    body: JSON.stringify(request),
  })
  const document = (await response.json()) as { code?: string; detail?: string }
  if (!response.ok) throw new AfgError(document.code ?? "confirmation-failed", document.detail ?? `the service answered ${response.status}`)
  return String(request["request-id"])
}

/** Waits for the person's decision. Throws `unobtainable` when there will be none. */
export const awaitAnswer = async (network: LocalNetwork, requestId: string): Promise<Answer> => {
  for (;;) {
    const response = await fetch(`${network.confirmation.url}/requests/${requestId}?wait=${LONG_POLL_SECONDS}`)
    const document = (await response.json()) as {
      state?: string
      evidence?: string
      confirmation?: ConfirmationBody | null
      outcome?: string
      reason?: string
    }
    if (document.outcome === "unobtainable") throw new AfgError("unobtainable", `the person could not be asked: ${document.reason}`)
    if (document.evidence !== undefined)
      return {
        // Only an accepted decision comes with the signature that bind wants.
        decision: document.confirmation ? "confirmed" : "denied",
        evidence: document.evidence,
        confirmation: document.confirmation ?? undefined,
      }
    if (!response.ok) throw new AfgError("confirmation-failed", `the confirmation service answered ${response.status}`)
  }
}

/** Lets the demonstration's person, a process of its own, open the page, read it and press a button. */
export const letPersonDecide = async (
  network: LocalNetwork,
  requestId: string,
  decision: "accept" | "reject",
  expect: Record<string, string>,
): Promise<{ state: string; shown: Record<string, string> }> => {
  const expectFile = join(network.dataDir, `expect-${requestId}.json`)
  writeFileSync(expectFile, JSON.stringify(expect))
  const args = [
    join(projectRoot, "scripts", "demo", "person.ts"),
    "--service",
    network.confirmation.url,
    "--request",
    requestId,
    "--session-file",
    network.confirmation.sessionFile,
    "--decision",
    decision,
    "--expect",
    expectFile,
  ]
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { stdio: ["ignore", "pipe", "inherit"] })
  const chunks: Buffer[] = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  const report = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
    state: string
    shown: Record<string, string>
    error?: { code: string; message: string }
  }
  if (code !== 0 || report.error !== undefined)
    throw new AfgError(report.error?.code ?? "person-failed", report.error?.message ?? `the person's process ended with ${code}`)
  return report
}
