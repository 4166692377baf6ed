/**
 * What is in the image `runner-python`, as data. Anything here that changes makes another image, hence another digest
 * (`docs/runner-image.md`).
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const IMAGE_NAME = "runner-python"

/** Every time in the image: 2025-01-01T00:00:00Z, in Unix seconds. */
export const SOURCE_DATE_EPOCH = 1_735_689_600

/** The user that checks run as; no login, no home, in no group of the host. */
export const RUNNER_UID = 65_532

/** What apt is asked for; what these depend on comes along. No package manager state and no recommended packages. */
export const PACKAGES = [
  "base-files",
  "base-passwd",
  "bash",
  "coreutils",
  "dash",
  "diffutils",
  "findutils",
  "grep",
  "libc-bin",
  "python3",
  "python3-pytest",
  "sed",
] as const

/** Paths left out of the image with all below them; `*` stands for any part of one segment. */
export const LEFT_OUT = [
  "boot",
  "dev",
  "etc/apt",
  "etc/dpkg",
  "media",
  "mnt",
  "proc",
  "run",
  "sys",
  "srv",
  "usr/bin/dpkg*",
  "usr/lib/*/gconv",
  "usr/lib/python3.*/ensurepip",
  "usr/lib/python3.*/idlelib",
  "usr/lib/python3.*/lib2to3",
  "usr/lib/python3.*/test",
  "usr/lib/python3.*/tkinter",
  "usr/lib/systemd",
  "usr/sbin/dpkg*",
  "usr/share/bash-completion",
  "usr/share/bug",
  "usr/share/debianutils",
  "usr/share/doc",
  "usr/share/dpkg",
  "usr/share/info",
  "usr/share/lintian",
  "usr/share/locale",
  "usr/share/man",
  "usr/share/menu",
  "usr/share/pixmaps",
  "usr/share/polkit-1",
  "usr/share/applications",
  "var/backups",
  "var/cache",
  "var/lib",
  "var/log",
  "tmp",
] as const

/** Kept under a left-out parent: the image may be passed on, so its copyright files stay. */
export const KEPT = ["usr/share/doc", "usr/share/doc/*", "usr/share/doc/*/copyright"] as const

/** Where the build leaves the names of the packages' archives; not in the image. */
export const PACKAGE_LIST = "var/lib/afg-packages"

export type OwnDirectory = { path: string; mode: number; uid: number }

/** Empty directories to mount on. `/work`, `/out`, `/result` belong to the runner; `/in`, `/input`, `/job` do not. */
export const DIRECTORIES: readonly OwnDirectory[] = [
  { path: "dev", mode: 0o755, uid: 0 },
  { path: "in", mode: 0o755, uid: 0 },
  { path: "input", mode: 0o755, uid: 0 },
  { path: "job", mode: 0o755, uid: 0 },
  { path: "out", mode: 0o755, uid: RUNNER_UID },
  { path: "proc", mode: 0o555, uid: 0 },
  { path: "result", mode: 0o755, uid: RUNNER_UID },
  { path: "run", mode: 0o755, uid: 0 },
  { path: "sys", mode: 0o555, uid: 0 },
  { path: "tmp", mode: 0o1777, uid: 0 },
  // Docker makes a folder that the layer does not mention unreadable for anyone but root.
  { path: "usr/local", mode: 0o755, uid: 0 },
  { path: "usr/local/lib", mode: 0o755, uid: 0 },
  { path: "usr/local/lib/afg", mode: 0o755, uid: 0 },
  { path: "var/cache", mode: 0o755, uid: 0 },
  { path: "var/lib", mode: 0o755, uid: 0 },
  { path: "var/log", mode: 0o755, uid: 0 },
  { path: "var/tmp", mode: 0o1777, uid: 0 },
  { path: "work", mode: 0o755, uid: RUNNER_UID },
]

export type OwnFile = { path: string; mode: number; content: string }

/** Where the holding first process is (`docs/runner-image.md`). */
export const HOLD_PATH = "/usr/local/lib/afg/hold"

export const FILES: readonly OwnFile[] = [
  { path: "etc/group", mode: 0o644, content: `root:x:0:\nnogroup:x:65534:\nrunner:x:${RUNNER_UID}:\n` },
  { path: "etc/nsswitch.conf", mode: 0o644, content: "passwd: files\ngroup: files\nhosts: files\n" },
  {
    path: "etc/passwd",
    mode: 0o644,
    content: [
      "root:x:0:0:root:/nonexistent:/usr/sbin/nologin",
      `runner:x:${RUNNER_UID}:${RUNNER_UID}:runner:/nonexistent:/usr/sbin/nologin`,
      "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
      "",
    ].join("\n"),
  },
  { path: HOLD_PATH.slice(1), mode: 0o755, content: readFileSync(fileURLToPath(new URL("hold.py", import.meta.url)), "utf8") },
]

export const LINKS: readonly { path: string; target: string }[] = [{ path: "usr/bin/python", target: "python3" }]

export const ENVIRONMENT = [
  "PATH=/usr/local/bin:/usr/bin:/bin",
  "LANG=C.UTF-8",
  "LC_ALL=C.UTF-8",
  "HOME=/nonexistent",
  "PYTHONDONTWRITEBYTECODE=1",
] as const

/** Changes when the recipe does; tells set-up that a recorded image is out of date. */
export const recipeDigest = (): string =>
  createHash("sha256")
    .update(JSON.stringify([SOURCE_DATE_EPOCH, PACKAGES, LEFT_OUT, KEPT, DIRECTORIES, FILES, LINKS, ENVIRONMENT]))
    .digest("hex")
