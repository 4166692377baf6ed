/** Binary input that may come as hex. */

/** The bytes; those that a file of hex digits spells, where it is one. CBOR never looks like that. */
export const bytesOrHex = (bytes: Uint8Array): Uint8Array => {
  const text = Buffer.from(bytes).toString("latin1").replace(/\s+/g, "")
  return text !== "" && text.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(text)
    ? new Uint8Array(Buffer.from(text, "hex"))
    : new Uint8Array(bytes)
}
