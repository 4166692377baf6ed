/** Codes of the container engine and its images. */
import type { ErrorTable } from "../../errors.ts"

export const ERRORS = {
  "engine-missing": {
    status: 503,
    what: "Set-up found no container engine in which a hardened container runs.",
    recovery: "Run `npm run setup`; it says what it tried and the commands for this platform.",
  },
  "engine-unreachable": {
    status: 503,
    what: "The container engine does not answer on its socket.",
    recovery: "Start it, or run `npm run setup` to choose again.",
  },
  "engine-refused": {
    status: 502,
    what: "The container engine answered a request with an error.",
    recovery: "The message has the engine's own words; `npx afg doctor` runs a container to see what is wrong.",
  },
  "engine-address-unsupported": {
    status: 500,
    what: "DOCKER_HOST names an engine that is not on this machine's Unix sockets.",
    recovery: "Set DOCKER_HOST to a unix:// address, or unset it.",
  },
  "engine-probe-failed": {
    status: 503,
    what: "A container that was asked to be hardened is not.",
    recovery: "The message says which protection is missing; another engine or runtime may give it.",
  },
  "engine-service-failed": {
    status: 503,
    what: "The Podman that set-up serves did not start.",
    recovery: "The message has the end of its log, .afg/run/podman.log.",
  },
  "image-build-unavailable": {
    status: 503,
    what: "The runner image cannot be built here.",
    recovery:
      "Install mmdebstrap, or build docker/runner-python.Dockerfile where there is a registry, and `npx afg images load` the archive.",
  },
  "image-build-failed": {
    status: 503,
    what: "Building the runner image failed.",
    recovery: "The message has the end of the build's output; most often a package repository is unreachable.",
  },
  "image-missing": {
    status: 404,
    what: "A recorded image's archive is gone.",
    recovery: "Run `npx afg images build`, or load the archive again.",
  },
  "image-unknown": {
    status: 404,
    what: "A contract pins an image that is not known on this machine.",
    recovery: "Get its archive and run `npx afg images load FILE`.",
  },
  "image-invalid": {
    status: 400,
    what: "A file is not an image archive, or its blobs do not have the digests it names.",
    recovery: "Export it again with `npx afg images export`.",
  },
  "image-digest-mismatch": {
    status: 502,
    what: "The engine made another image of an archive than the archive describes.",
    recovery: "Report the engine and its version; contracts cannot pin this image on it.",
  },
} as const satisfies ErrorTable
