/** The Agent Action Confirmation Protocol. Knows nothing of what it is used for; see `docs/aacp.md`. */
export { ALGORITHMS, type Algorithm, type SigningAlgorithm } from "./algorithms.ts"
export { CBOR_TYPES, type CborType, fromCbor, toCbor } from "./cbor/objects.ts"
export { signEvidenceCose } from "./cose/evidence.ts"
export { keyFromCose, keyFromJwk, keysFromJson, type VerificationKey } from "./cose/key.ts"
export { openSign1, type Sign1, sign1, verifySign1 } from "./cose/sign1.ts"
export * from "./descriptor.ts"
export { ERRORS } from "./errors.ts"
export {
  type AuthContext,
  type ConfirmationEvidence,
  createEvidence,
  type Decision,
  type EvidenceInput,
  parseEvidence,
  readEvidence,
} from "./evidence.ts"
export { formatValue } from "./formats.ts"
export { type ConfirmationGate, type ConfirmedVariables, EVIDENCE_HEADER, requireConfirmation } from "./http/middleware.ts"
export { type ConfirmationProblem, type ProblemAnswer, problemOf, problemOfStatus } from "./http/problem.ts"
export { type Entropy, systemEntropy } from "./identifiers.ts"
export type { Json, JsonObject } from "./json.ts"
export { attachPayload, detachJws, evidencePayload, isDetached, signEvidence } from "./jws.ts"
export { type HttpKeysOptions, httpKeys } from "./keys/http-source.ts"
export { type KeySet, parseJwks, type Revocation, readJwks, type ServiceKey, standingAt } from "./keys/service-key.ts"
export { anyOf, fileKeys, type KeySource, keySetSource, staticKeys } from "./keys/source.ts"
export { MEDIA_TYPES } from "./media-types.ts"
export { type Answer, readAnswer } from "./relay/answer.ts"
export { noChannel, type RegisteredChannel, sideChannelNotice, usableChannels } from "./relay/channels.ts"
export { handoffChain, handoffDigest } from "./relay/handoff.ts"
export {
  type A2aPart,
  fromA2aPart,
  fromMcpContent,
  type McpContent,
  parseRelayed,
  type Relayed,
  toA2aPart,
  toMcpContent,
} from "./relay/messages.ts"
export { relayRequest } from "./relay/relay.ts"
export { type AwaitOptions, awaitAnswer, type HttpServiceOptions, httpService, type ServiceClient } from "./relay/service-client.ts"
export {
  digestOfRendering,
  type RenderingRow,
  type RenderingRules,
  type RenderRule,
  renderingDigest,
  renderingSet,
  storableRendering,
} from "./rendering.ts"
export { fileReplayStore } from "./replay/file.ts"
export { memoryDenials, memoryOutcomes, memoryReplayStore } from "./replay/memory.ts"
export { memoryRequests, type RequestLedger } from "./replay/requests.ts"
export type {
  Consumption,
  Denial,
  DenialRegister,
  OutcomeMemory,
  RememberedOutcome,
  ReplayKey,
  ReplayStore,
} from "./replay/store.ts"
export {
  type ChannelRequirements,
  type ConfirmationRequest,
  createRequest,
  DEFAULT_LIFETIME,
  parseRequest,
  type RequestInput,
  readRequest,
} from "./request.ts"
export { type EvidenceSigner, jwkSigner, keySigner } from "./signer.ts"
export { type ConfirmationStatus, createStatus, parseStatus, readStatus, STATUS_REASONS, type StatusReason } from "./status.ts"
export { formatTime, parseTime } from "./time.ts"
export { evidenceDigest } from "./verify/envelope.ts"
export type { RequestLookup, VerificationInput } from "./verify/input.ts"
export { type ConfirmationError, errorOf, OUTCOMES, type Outcome, RETRY, type Retry, STEP_NAMES, type StepName } from "./verify/outcome.ts"
export { type Policy, type PolicyRule, parsePolicy, readPolicy } from "./verify/policy.ts"
export { type Verification, verifyEvidence } from "./verify/verify.ts"
export { type Annotation, descriptorOf, EVIDENCE_FIELD, type Operation, operationOf, parseAnnotation, readAnnotation } from "./x-aacp.ts"
