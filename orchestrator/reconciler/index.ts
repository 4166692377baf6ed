/** Reconciling: what should have happened is made to happen. */
export {
  type ActionContext,
  type Clocks,
  createReconciler,
  type Log,
  type Perform,
  type Reconciler,
  type ReconcilerOptions,
} from "./reconciler.ts"
