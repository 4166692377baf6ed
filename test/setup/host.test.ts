import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { engineAdvice, imageAdvice, servicesAdvice } from "../../orchestrator/verifier-runner/host/advice.ts"
import { demultiplex } from "../../orchestrator/verifier-runner/host/engine-http.ts"
import { candidateSockets, socketOfAddress } from "../../orchestrator/verifier-runner/host/engines.ts"
import { cgroupLayout, containerUlimits } from "../../orchestrator/verifier-runner/host/facts.ts"
import { platformOf } from "../../orchestrator/verifier-runner/host/platform.ts"
import { probeProblems } from "../../orchestrator/verifier-runner/host/probe.ts"
import { withImage } from "../../orchestrator/verifier-runner/host/record.ts"

describe("where an engine may be", () => {
  it("is only where DOCKER_HOST says, when it says", () => {
    assert.deepEqual(candidateSockets({ DOCKER_HOST: "unix:///run/mine.sock" }, 0), ["/run/mine.sock"])
  })

  for (const address of ["tcp://10.0.0.1:2375", "ssh://host", "unix://relative", "npipe:////./pipe/docker", ""]) {
    it(`is not at ${address || "an empty address"}`, () => {
      assert.throws(() => socketOfAddress(address), { code: "engine-address-unsupported" })
    })
  }

  it("is the system's for root, the user's own for others", () => {
    assert.ok(candidateSockets({}, 0).includes("/run/podman/podman.sock"))
    const others = candidateSockets({}, 1000)
    assert.equal(others[0], "/run/user/1000/podman/podman.sock")
    assert.ok(!others.includes("/run/podman/podman.sock"))
    assert.ok(others.includes("/var/run/docker.sock"))
  })
})

describe("what the host lets containers do", () => {
  const limits = (nofile: string, nproc: string) =>
    [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      `Max processes             100                  ${nproc.padEnd(20)} processes `,
      `Max open files            1024                 ${nofile.padEnd(20)} files     `,
    ].join("\n")

  it("never asks for more than the host's hard limits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1 << 22 }), fc.integer({ min: 1, max: 1 << 22 }), (nofile, nproc) => {
        for (const { name, soft, hard } of containerUlimits(limits(String(nofile), String(nproc)))) {
          assert.equal(soft, hard)
          assert.ok(hard <= (name === "nofile" ? nofile : nproc))
          assert.ok(hard >= 1)
        }
      }),
    )
  })

  it("has limits of its own where the host has none", () => {
    for (const text of [limits("unlimited", "unlimited"), ""])
      assert.deepEqual(
        containerUlimits(text).map(({ hard }) => hard),
        [4096, 4096],
      )
  })

  it("tells the layouts of cgroups apart", () => {
    const having = (...paths: string[]) => cgroupLayout((path) => paths.includes(path))
    assert.equal(having("/sys/fs/cgroup/cgroup.controllers"), "v2")
    assert.equal(having("/sys/fs/cgroup/unified/cgroup.procs"), "hybrid")
    assert.equal(having(), "v1")
  })
})

describe("what a probe must have seen", () => {
  const hardened = {
    uid: 65532,
    gid: 65532,
    groups: [65532],
    capabilities: ["0000000000000000", "0000000000000000", "0000000000000000", "0000000000000000", "0000000000000000"],
    no_new_privileges: "1",
    seccomp: "2",
    uid_map: ["0", "1000000", "65536"],
    root_writable: false,
    tmp_writable: true,
    interfaces: ["lo"],
    nofile: 4096,
    processes_bounded: true,
    memory_bounded: true,
  }

  it("is a hardened container", () => assert.deepEqual(probeProblems(hardened), []))

  const faults: [string, Partial<typeof hardened>, RegExp][] = [
    ["root", { uid: 0 }, /runs as 0:65532/],
    ["root's groups", { groups: [0, 65532] }, /groups/],
    ["a capability", { capabilities: ["0", "0", "0000000000000400", "0", "0"] }, /capabilities/],
    ["a capability it could get back", { capabilities: ["0", "0", "0", "00000000a80425fb", "0"] }, /capabilities/],
    ["set-uid programs that work", { no_new_privileges: "0" }, /privileges/],
    ["a writable root", { root_writable: true }, /root file system/],
    ["no place for temporary files", { tmp_writable: false }, /\/tmp/],
    ["a network", { interfaces: ["eth0", "lo"] }, /network: eth0/],
    ["no bound on processes", { processes_bounded: false }, /processes/],
    ["no bound on memory", { memory_bounded: false }, /memory/],
  ]
  for (const [what, change, expected] of faults) {
    it(`is refused with ${what}`, () => {
      const problems = probeProblems({ ...hardened, ...change })
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? "", expected)
    })
  }
})

describe("the engine's framed stream", () => {
  const frame = (stream: number, bytes: Buffer): Buffer => {
    const head = Buffer.alloc(8)
    head[0] = stream
    head.writeUInt32BE(bytes.length, 4)
    return Buffer.concat([head, bytes])
  }

  it("is told apart into output and errors, however it is cut", () => {
    const pieces = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string({ maxLength: 40 })), { maxLength: 20 })
    fc.assert(
      fc.property(pieces, (all) => {
        const { stdout, stderr } = demultiplex(Buffer.concat(all.map(([stream, text]) => frame(stream, Buffer.from(text)))))
        const of = (wanted: number) =>
          Buffer.concat(all.filter(([stream]) => stream === wanted).map(([, text]) => Buffer.from(text))).toString("utf8")
        assert.equal(stdout, of(1))
        assert.equal(stderr, of(2))
      }),
    )
  })
})

describe("advice", () => {
  const systems = {
    debian: "ID=debian\n",
    ubuntu: "ID=ubuntu\nID_LIKE=debian\n",
    mint: 'ID=linuxmint\nID_LIKE="ubuntu debian"\n',
    fedora: "ID=fedora\n",
    arch: "ID=arch\n",
    alpine: "ID=alpine\n",
    other: "ID=plan9\n",
  }

  for (const [name, text] of Object.entries(systems)) {
    it(`has commands for ${name}`, () => {
      for (const root of [true, false]) {
        const platform = platformOf(text, root)
        for (const advice of [engineAdvice(platform), imageAdvice(platform)]) assert.match(advice, /npm run setup$/)
        assert.match(servicesAdvice(platform), /[Rr]edis/)
      }
    })
  }

  it("knows Debian's family", () => {
    assert.deepEqual(
      Object.entries(systems)
        .filter(([, text]) => platformOf(text, true).debian)
        .map(([name]) => name),
      ["debian", "ubuntu", "mint"],
    )
    assert.deepEqual(platformOf("", false, "darwin"), { id: "darwin", debian: false, root: false })
  })

  it("asks an ordinary user to become root, and root not to", () => {
    assert.match(engineAdvice(platformOf(systems.debian, false)), /^ {2}sudo apt-get/)
    assert.doesNotMatch(engineAdvice(platformOf(systems.debian, true)), /sudo/)
  })
})

describe("the record of images", () => {
  const image = (digest: string) => ({
    name: "runner-python",
    runner_image: digest,
    manifest_digest: "m",
    size: 1,
    packages: [],
    archive: "/a",
  })
  const record = { version: 1 as const, node: "/n", engine: null, images: [{ ...image("sha256:1"), recipe: "r" }] }

  it("puts a new one in front", () => {
    assert.deepEqual(
      withImage(record, image("sha256:2")).images.map(({ runner_image }) => runner_image),
      ["sha256:2", "sha256:1"],
    )
  })

  it("keeps knowing what was built here when the same is loaded", () => {
    assert.deepEqual(withImage(record, image("sha256:1")).images, record.images)
  })
})
