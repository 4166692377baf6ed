/** The exact commands for what set-up cannot do itself on this platform. */
import type { Platform } from "./platform.ts"

const lines = (...text: string[]): string => text.map((line) => `  ${line}`).join("\n")

/** How to get a container engine. */
export const engineAdvice = ({ id, debian, root }: Platform): string => {
  if (debian)
    return root
      ? lines("apt-get update && apt-get install --no-install-recommends podman runc mmdebstrap", "npm run setup")
      : lines(
          "sudo apt-get update && sudo apt-get install --no-install-recommends podman runc mmdebstrap uidmap slirp4netns",
          "systemctl --user enable --now podman.socket",
          "npm run setup",
        )
  if (id === "darwin") return lines("brew install podman", "podman machine init && podman machine start", "npm run setup")
  if (["fedora", "rhel", "centos", "rocky", "almalinux"].includes(id))
    return lines("sudo dnf install podman runc", "systemctl --user enable --now podman.socket", "npm run setup")
  if (id === "arch") return lines("sudo pacman -S podman runc", "systemctl --user enable --now podman.socket", "npm run setup")
  if (id === "alpine") return lines("apk add podman runc", "podman system service --time=0 &", "npm run setup")
  return lines(
    "Install Docker Engine 20.10 or later, or Podman 4 or later, from your system's packages, and start its API socket.",
    "npm run setup",
  )
}

/** How to get the servers that some tests want. */
export const servicesAdvice = ({ id, debian, root }: Platform): string => {
  if (debian) return lines(`${root ? "" : "sudo "}apt-get install --no-install-recommends redis-server postgresql`)
  if (id === "darwin") return lines("brew install redis postgresql")
  if (["fedora", "rhel", "centos", "rocky", "almalinux"].includes(id)) return lines("sudo dnf install redis postgresql-server")
  return lines("Install Redis 6.2 or later and PostgreSQL 14 or later from your system's packages; they need not be started.")
}

/** How to get the runner image where set-up could not build it. */
export const imageAdvice = ({ debian, root }: Platform): string =>
  debian
    ? lines(`${root ? "" : "sudo "}apt-get install --no-install-recommends mmdebstrap${root ? "" : " uidmap"}`, "npm run setup")
    : lines(
        "Set-up builds docker/runner-python.Dockerfile with the engine, which needs an image registry. Without one, take the image from a machine that has it:",
        "npx afg images export runner-python.tar    (there)",
        "npx afg images load runner-python.tar      (here)",
        "npm run setup",
      )
