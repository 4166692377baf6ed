export type LockOptions = {
  /** How long to wait for a holder that lives. */
  patienceMs: number
  /** Told once, when there is someone to wait for. */
  onWait?: (holder: number) => void
}

/** Takes a lock file, waiting for its holder, and returns how to release it; it is released on exit as well. Throws when patience ends. */
export declare const takeLock: (file: string, options: LockOptions) => Promise<() => void>
