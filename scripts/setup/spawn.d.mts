export type SpawnOptions = { cwd?: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number }

/** Runs a program in silence; when it fails, the error has the end of what it said. */
export declare const spawnQuiet: (command: string, args: string[], options?: SpawnOptions) => Promise<void>

/** Runs a program whose lines the user should see, on standard error; resolves to its exit code. */
export declare const spawnLoud: (command: string, args: string[], options?: SpawnOptions) => Promise<number>
