export type LockedPackage = {
  version?: string
  integrity?: string
  optional?: boolean
  link?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** What differs between the lock file and what npm wrote of its last installation; empty when they agree. */
export declare const packageDifferences: (
  locked: Readonly<Record<string, LockedPackage>>,
  installed: Readonly<Record<string, LockedPackage>>,
  host: { platform: string; arch: string; glibc: boolean },
) => string[]
