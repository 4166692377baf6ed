/** Timers on BullMQ: Redis, or the store's own database. */
export { ERRORS } from "./errors.ts"
export { openTimers, type TimerHandlers, type TimerOptions, type Timers, type VerificationOrder, type Wake } from "./timers.ts"
