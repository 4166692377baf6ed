/** Media types of AACP §13. */
export const MEDIA_TYPES = {
  request: "application/aacp-confirmation-request+json",
  evidence: "application/aacp-confirmation-evidence+json",
  status: "application/aacp-confirmation-status+json",
  cbor: "application/aacp+cbor",
} as const
