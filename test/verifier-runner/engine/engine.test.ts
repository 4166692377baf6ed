/** The hardened container, from inside and out, on the machine's own engine. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { after, describe, it } from "node:test"
import { engineApi } from "../../../orchestrator/verifier-runner/engine/api.ts"
import { ownerLives, ownerOf } from "../../../orchestrator/verifier-runner/engine/identity.ts"
import { DEFAULT_LIMITS } from "../../../orchestrator/verifier-runner/engine/types.ts"
import { ensureEngine } from "../../../orchestrator/verifier-runner/host/ensure-engine.ts"
import { type ContainerRun, openEngine } from "../../../orchestrator/verifier-runner/index.ts"
import { containers } from "../support/engine.ts"
import { file } from "../support/tiny.ts"

const found = await containers()
const MIB = 1024 ** 2

describe("a hardened container", { skip: found === null && "there is no container engine" }, () => {
  if (found === null) return
  const { engine, image } = found
  after(() => engine.close())

  const run = (code: string, more: Partial<ContainerRun> = {}) =>
    engine.run({
      image: image.runner_image,
      command: ["/usr/bin/python3", "-c", code],
      files: [file("a/b.txt", "hello"), file("link", "a/b.txt", "120000"), file("tool", "#!/bin/sh\n", "100755")],
      limits: { ...DEFAULT_LIMITS, memory_bytes: 128 * MIB, scratch_bytes: 16 * MIB, file_bytes: 8 * MIB },
      timeout_s: 60,
      ...more,
    })

  it("has what it needs and nothing else", async () => {
    const code = `
import json, os, resource, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines() if ":" in line)
def writes(path):
    try:
        open(path + "/x", "w").close()
        return True
    except OSError:
        return False
def reads(path):
    try:
        return bool(open(path, "rb").read(1)) or True
    except OSError:
        return False
def connects(address):
    try:
        socket.create_connection(address, timeout=1).close()
        return True
    except OSError:
        return False
print(json.dumps({
    "input": open("/in/link").read(), "modes": [oct(os.lstat("/in/" + name).st_mode) for name in ("a/b.txt", "tool")],
    "writable": [path for path in ("/", "/in", "/in/a", "/etc", "/usr", "/work", "/out", "/result", "/var/tmp", "/run", "/tmp") if writes(path)],
    "readable": [path for path in ("/proc/1/environ", "/proc/1/mem", "/proc/kcore", "/dev/mem", "/dev/kmsg", "/dev/sda") if reads(path)],
    "connects": [host for host, port in (("127.0.0.1", 80), ("169.254.169.254", 80), ("10.0.0.1", 53)) if connects((host, port))],
    "interfaces": sorted(name for _, name in socket.if_nameindex()),
    "uid": [os.getuid(), os.getgid(), os.getgroups()], "host": os.uname().nodename, "zone": os.environ["TZ"], "language": os.environ["LC_ALL"],
    "token": [name for name in os.environ if "TOKEN" in name], "caps": status["CapEff"].strip() + status["CapBnd"].strip(), "new": status["NoNewPrivs"].strip(),
    "seccomp": status["Seccomp"].strip(), "limits": [resource.getrlimit(one) for one in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)],
    "map": open("/proc/self/uid_map").read().split(), "sockets": [path for path in ("/var/run/docker.sock", "/run/podman/podman.sock") if os.path.exists(path)],
    "processes": [name for name in os.listdir("/proc") if name.isdigit()],
}))`
    const { stdout, end } = await run(code)
    assert.deepEqual(end, { kind: "exited", code: 0 })
    const seen = JSON.parse(stdout.toString()) as Record<string, unknown>
    assert.equal(seen.input, "hello")
    assert.deepEqual(seen.modes, ["0o100644", "0o100755"])
    assert.deepEqual(seen.writable, ["/tmp"])
    assert.deepEqual(seen.readable, [])
    assert.deepEqual(seen.connects, [])
    assert.deepEqual(seen.interfaces, ["lo"])
    assert.deepEqual(seen.uid, [65532, 65532, [65532]])
    assert.deepEqual([seen.host, seen.zone, seen.language, seen.token], ["runner", "UTC", "C.UTF-8", []])
    assert.match(String(seen.caps), /^0+$/)
    assert.deepEqual([seen.new, seen.seccomp], ["1", "2"])
    assert.deepEqual(seen.limits, [
      [0, 0],
      [8 * MIB, 8 * MIB],
      [1024, 1024],
    ])
    const { userns } = await ensureEngine()
    if (userns !== null) assert.notDeepEqual(seen.map, ["0", "0", "4294967295"])
    assert.deepEqual(seen.sockets, [])
    assert.equal((seen.processes as string[]).length, 2)
  })

  it("tells a command's own end", async () => {
    assert.deepEqual((await run("import sys; sys.exit(3)")).end, { kind: "exited", code: 3 })
    const killed = await run("import os; os.kill(os.getpid(), 9)")
    assert.deepEqual([killed.end, killed.out_of_memory], [{ kind: "exited", code: 137 }, false])
  })

  it("tells that memory ran out, whatever the exit code", async () => {
    const bomb = "bytearray(512 << 20)"
    assert.equal((await run(bomb)).out_of_memory, true)
    const child = await run(`import subprocess, sys; subprocess.run([sys.executable, "-c", "${bomb}"])`)
    assert.deepEqual([child.end, child.out_of_memory], [{ kind: "exited", code: 0 }, true])
    const imposter = await run("import sys; sys.exit(137)")
    assert.deepEqual([imposter.end, imposter.out_of_memory], [{ kind: "exited", code: 137 }, false])
  })

  it("ends at its deadline, with everything it started", async () => {
    const { end, milliseconds } = await run("import os, time\nos.fork()\ntime.sleep(600)", { timeout_s: 1 })
    assert.deepEqual(end, { kind: "timeout" })
    assert.ok(milliseconds < 30_000)
  })

  it("ends when it writes too much", async () => {
    const limits = { ...DEFAULT_LIMITS, output_bytes: MIB }
    const { end, stdout } = await run("while True: print('x' * 100_000)", { limits })
    assert.deepEqual(end, { kind: "output-limit" })
    assert.ok(stdout.length <= MIB)
  })

  it("holds against a fork bomb and a full scratch file system", async () => {
    const bomb =
      "import os\nfor _ in range(10_000):\n    try:\n        if os.fork() == 0:\n            import time; time.sleep(60)\n    except OSError as error:\n        print(error.errno); break\n"
    assert.equal((await run(bomb, { limits: { ...DEFAULT_LIMITS, processes: 32 } })).stdout.toString().trim(), "11")
    const fill =
      "import os\nn = 0\ntry:\n    while True:\n        open(f'/tmp/{n}', 'wb').write(bytes(1 << 20)); n += 1\nexcept OSError as error:\n    print(error.errno, n)\n"
    assert.match((await run(fill)).stdout.toString(), /^28 1[0-6]\n$/)
  })

  it("believes nobody who imitates the first process", async () => {
    const { end, stderr } = await run("import sys, time\nsys.stderr.write('\\nafg-hold:0000:0\\n')\nsys.stderr.flush()\nsys.exit(9)")
    assert.deepEqual(end, { kind: "exited", code: 9 })
    assert.match(stderr.toString(), /afg-hold:0000:0/)
  })

  it("can be called off, and leaves nothing behind", async () => {
    const before = await leftovers()
    const stop = new AbortController()
    const running = run("import time; time.sleep(600)", { signal: stop.signal })
    setTimeout(() => stop.abort(), 300)
    await assert.rejects(running, { code: "run-aborted" })
    assert.deepEqual(await leftovers(), before)
  })

  it("is refused from an image that is not known", async () => {
    await assert.rejects(run("pass", { image: `sha256:${"0".repeat(64)}` }), { code: "image-unknown" })
  })

  const leftovers = async () => {
    const { containers: left, volumes } = await (await engineApi(await ensureEngine())).leftovers()
    return [...left, ...volumes].filter(({ owner }) => owner === ownerOf()).map(({ id }) => id)
  }

  it("is swept away when its runner is gone, and only then", async () => {
    const api = await engineApi(await ensureEngine())
    const gone = ownerOf().replace(/:[^:]*$/, ":1")
    assert.equal(ownerLives(gone), false)
    assert.equal(ownerLives(ownerOf()), true)
    await api.createVolume("afg-check-test-orphan", gone)
    await api.createVolume("afg-check-test-kept", ownerOf())
    try {
      assert.ok((await engine.sweep()) >= 1)
      const { volumes } = await api.leftovers()
      assert.equal(
        volumes.some(({ id }) => id === "afg-check-test-orphan"),
        false,
      )
      assert.equal(
        volumes.some(({ id }) => id === "afg-check-test-kept"),
        true,
      )
    } finally {
      await api.removeVolume("afg-check-test-kept")
    }
  })

  it("ends when its engine is closed", async () => {
    const other = await openEngine()
    const running = other.run({
      image: image.runner_image,
      command: ["/bin/sleep", "600"],
      files: [],
      limits: DEFAULT_LIMITS,
      timeout_s: 600,
    })
    const ended = assert.rejects(running, { code: "run-aborted" })
    await other.close()
    await ended
  })
})

it("the owner of a container is this process, told apart by its start", () => {
  const [, pid, start] = ownerOf().split(":")
  assert.equal(Number(pid), process.pid)
  assert.ok(readFileSync(`/proc/${process.pid}/stat`, "utf8").includes(` ${start} `))
  assert.equal(ownerLives("another-boot:1:1"), false)
})
