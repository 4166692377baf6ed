/** Programs on this host. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/** Where administrators' programs are, though an ordinary user's PATH may not say so. */
const ALSO = ["/usr/sbin", "/sbin", "/usr/local/sbin"]

/** The full path of a program; null when it is not installed. */
export const findProgram = (name: string, path: string = process.env.PATH ?? ""): string | null => {
  for (const directory of [...path.split(delimiter).filter(Boolean), ...ALSO]) {
    const file = join(directory, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not there, or not ours to run: the next directory may have it.
    }
  }
  return null
}

export const hasProgram = (name: string): boolean => findProgram(name) !== null
