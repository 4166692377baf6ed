/** What the command line must know of the service that runs on the same directory. */
import type { Database } from "./database.ts"

export const recordPublicUrl = (database: Database, url: string): void => {
  database.run("INSERT INTO setting (name, value) VALUES ('public-url', :url) ON CONFLICT (name) DO UPDATE SET value = excluded.value", {
    url,
  })
}

/** Where the service is reached, or was when it last ran; null before its first start. */
export const publicUrlOf = (database: Database): string | null => {
  const row = database.get("SELECT value FROM setting WHERE name = 'public-url'")
  return row === undefined ? null : String(row.value)
}
