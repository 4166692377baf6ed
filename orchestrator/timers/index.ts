/** Timers on BullMQ: Redis, or the store's own database. */
export { openTimers, type TimerHandlers, type TimerOptions, type Timers, type VerificationOrder } from "./queues.ts"
