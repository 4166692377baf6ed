/** Reads a tar entry by entry. */
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { type Extract, extract } from "tar-stream"

/** One file, directory or link of a tar, and the stream of its bytes. */
export type TarEntry = Extract extends AsyncIterable<infer E> ? E : never

/** Calls `visit` for each entry in order; it has to consume the entry's bytes. Rejects when the file is not a tar. */
export const forEachEntry = async (file: string, visit: (entry: TarEntry) => Promise<void>): Promise<void> => {
  const source = extract()
  const visiting = async () => {
    for await (const entry of source) await visit(entry)
  }
  // Together, so that whichever fails first is heard and the other is not left without a listener.
  await Promise.all([pipeline(createReadStream(file), source), visiting()])
}
