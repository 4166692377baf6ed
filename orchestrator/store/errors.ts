import type { ErrorTable } from "../errors.ts"

/** Codes of the store. */
export const ERRORS = {
  "store-in-use": {
    status: 503,
    what: "Another process has this data directory open. Two at once would corrupt it silently.",
    recovery: "Stop the other process, or use PostgreSQL (DATABASE_URL) for more than one.",
  },
  "store-unavailable": { status: 503, what: "The database cannot be reached.", recovery: "Start it, or correct DATABASE_URL." },
  "store-newer": {
    status: 503,
    what: "The store's tables were made by a later version of this program.",
    recovery: "Run that version, or restore the store from before.",
  },
  "store-nested": {
    status: 500,
    what: "Code inside a transaction used the store beside it, and would have waited for itself.",
    recovery: "A defect: report it with the message.",
  },
  "job-unknown": { status: 404, what: "There is no job with this id.", recovery: "Check the id; post the job first." },
  "blob-missing": { status: 404, what: "No bytes are stored under this hash.", recovery: "Store them first." },
  "blob-corrupt": {
    status: 500,
    what: "Stored bytes do not have their hash any more.",
    recovery: "Restore the blob from another copy; the hash tells which bytes.",
  },
  "blob-too-large": { status: 413, what: "The bytes exceed the limit.", recovery: "Store less." },
  "blob-reference-malformed": {
    status: 400,
    what: "A reference is neither 64 hex digits nor an ipfs:// URI of a raw sha256 CID.",
    recovery: "Use what `put` returned.",
  },
} as const satisfies ErrorTable
