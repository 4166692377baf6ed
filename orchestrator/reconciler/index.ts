/** Reconciling: what should have happened is made to happen. */
export { createReconciler } from "./reconciler.ts"
export type { ActionContext, Clocks, Log, Perform, Reconciler, ReconcilerOptions } from "./types.ts"
