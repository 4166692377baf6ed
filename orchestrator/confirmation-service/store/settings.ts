/** What the service tells the command line, which looks at the same directory from another process. */
import { z } from "zod"
import type { Database } from "./database.ts"

const announcement = z.object({
  publicUrl: z.string(),
  issuer: z.string(),
  subjects: z.array(z.string()),
  /** Where the service takes its time from, when not from the machine. */
  clockRpcUrl: z.string().nullable(),
  chains: z.array(z.object({ chainId: z.number(), resolver: z.custom<`0x${string}`>(), verifier: z.custom<`0x${string}`>() })),
})

/** How the service is configured, or was when it last ran. */
export type Announcement = z.infer<typeof announcement>

export const announce = (database: Database, value: Announcement): void => {
  database.run("INSERT INTO setting (name, value) VALUES ('service', :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value", {
    value: JSON.stringify(value),
  })
}

/** Null before the service's first start. */
export const announced = (database: Database): Announcement | null => {
  const row = database.get("SELECT value FROM setting WHERE name = 'service'")
  return row === undefined ? null : announcement.parse(JSON.parse(String(row.value)))
}
