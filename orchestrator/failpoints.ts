/**
 * Named places where a test may kill this process, as a power cut would. They cost one comparison unless `AFG_FAILPOINT` is set, which only
 * tests do: `name` or `name:3` (the third time) ends the process with SIGKILL.
 */
const [wanted, nth = "1"] = (process.env.AFG_FAILPOINT ?? "").split(":")
let seen = 0

/** Every fail-point there is; a test walks this list. */
export const FAILPOINTS = [
  "store.appending",
  "store.appended",
  "queue.adding",
  "queue.added",
  "reconcile.loaded",
  "reconcile.claimed",
  "reconcile.performed",
  "reconcile.finished",
  "reconcile.saving",
  "reconcile.projected",
  "reconcile.released",
  "keeper.prepared",
  "keeper.sent",
  "keeper.mined",
  "watcher.appended",
  "watcher.advanced",
  "verifier.started",
  "verifier.checked",
  "verifier.stored",
  "fund.consumed",
] as const

export type Failpoint = (typeof FAILPOINTS)[number]

export const failpoint = (name: Failpoint): void => {
  if (name !== wanted) return
  seen += 1
  if (seen === Number(nth)) process.kill(process.pid, "SIGKILL")
}
