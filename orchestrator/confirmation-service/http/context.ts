/** What the routes work with. */
import type { HttpBindings } from "@hono/node-server"
import type { Logger } from "pino"
import type { Clock } from "../clock.ts"
import type { Admission } from "../intake/admit.ts"
import type { AnswerSigner } from "../signing/answers.ts"
import type { Database } from "../store/database.ts"
import type { RateLimit } from "./rate-limit.ts"
import type { Waiters } from "./waiters.ts"

export type ServiceContext = {
  readonly database: Database
  readonly admission: Admission
  readonly signer: AnswerSigner
  readonly issuer: string
  /** No slash at the end. */
  readonly publicUrl: string
  readonly clock: Clock
  /** Unix seconds, by that clock. */
  readonly now: () => number
  readonly waiters: Waiters
  readonly limits: { readonly requests: RateLimit; readonly answers: RateLimit; readonly pages: RateLimit }
  readonly log: Logger
}

export type Env = { Bindings: HttpBindings }
