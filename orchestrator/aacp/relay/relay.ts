/**
 * The requesting agent's part in variant B (AACP §4.4, §9.1): take the acting agent's request to the person's service and
 * bring back what it says, unchanged. It holds no key and judges nothing.
 */
import { isAfgError } from "../../errors.ts"
import { createStatus } from "../status.ts"
import type { Relayed } from "./messages.ts"
import { type AwaitOptions, awaitAnswer, type ServiceClient } from "./service-client.ts"

/**
 * Relays one request. An unreachable service or a person who does not decide in time come back as a status, which is no
 * denial; a refusal by the service is thrown (`aacp-service-refused`), since no waiting helps.
 */
export const relayRequest = async (
  relayed: Relayed & { kind: "request" },
  service: ServiceClient,
  options: AwaitOptions,
): Promise<Relayed> => {
  const requestId = relayed.request["request-id"]
  const status = (reason: "channel-unreachable" | "dialog-expired"): Relayed => ({
    kind: "status",
    status: createStatus(requestId, reason, options.now()),
  })
  try {
    const first = await service.submit(relayed.request)
    const answer = first.kind === "pending" ? await awaitAnswer(service, requestId, options) : first
    if (answer.kind === "pending") return status("dialog-expired")
    return answer.kind === "evidence" ? { kind: "evidence", requestId, evidence: answer.evidence } : answer
  } catch (error) {
    if (isAfgError(error) && error.code === "aacp-service-unreachable") return status("channel-unreachable")
    throw error
  }
}
