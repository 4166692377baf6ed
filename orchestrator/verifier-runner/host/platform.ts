/** Which kind of system this is, as far as installing things goes. */
import { existsSync, readFileSync } from "node:fs"

export type Platform = {
  /** As in `os-release`: `debian`, `ubuntu`, `fedora`; `darwin` on a Mac. */
  id: string
  /** Whether it is Debian or derived from it. */
  debian: boolean
  root: boolean
}

/** The host's platform, from the text of `/etc/os-release`. */
export const platformOf = (osRelease: string, root: boolean, name: string = process.platform): Platform => {
  if (name !== "linux") return { id: name, debian: false, root }
  const value = (key: string) => new RegExp(`^${key}="?([^"\n]*)"?$`, "m").exec(osRelease)?.[1] ?? ""
  const id = value("ID") || "linux"
  return {
    id,
    debian: ["debian", "ubuntu", ...value("ID_LIKE").split(" ")].some((one) => one === id) || value("ID_LIKE").includes("debian"),
    root,
  }
}

export const hostPlatform = (): Platform => {
  const text = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : ""
  return platformOf(text, process.getuid?.() === 0)
}
