/** A lock between processes of this machine: a file that names its holder, taken over when the holder is gone. */
import { randomUUID } from "node:crypto"
import { link, readFile, rm, writeFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { AfgError } from "../../errors.ts"

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** True when this call made the file. The content is complete from the first moment, since a link shows the whole file. */
const tryTake = async (file: string): Promise<boolean> => {
  const own = `${file}.${process.pid}.${randomUUID()}`
  await writeFile(own, String(process.pid))
  try {
    await link(own, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    const holder = Number(await readFile(file, "utf8").catch(() => ""))
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true })
    return false
  } finally {
    await rm(own, { force: true })
  }
}

/** Runs `work` while holding `file`. Throws `lock-busy` when another process holds it longer than `patienceMs`. */
export const withLock = async <T>(file: string, patienceMs: number, work: () => Promise<T>): Promise<T> => {
  const deadline = Date.now() + patienceMs
  while (!(await tryTake(file))) {
    if (Date.now() > deadline)
      throw new AfgError("lock-busy", `another process holds ${file}; wait for it, or delete the file if there is none`)
    await delay(50)
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}
