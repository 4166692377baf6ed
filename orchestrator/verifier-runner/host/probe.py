# Looks at the container it runs in from inside and prints what it found as one line of JSON.
import json, os, resource, signal, socket, subprocess, sys

status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines() if ":" in line)


def can_write(path):
    try:
        with open(os.path.join(path, "probe"), "w") as file:
            file.write("x")
        return True
    except OSError:
        return False


def memory_is_bounded():
    child = subprocess.run([sys.executable, "-c", "b = bytearray(512 << 20)"], stderr=subprocess.DEVNULL)
    return child.returncode != 0


def processes_are_bounded(most):
    children = []
    try:
        for _ in range(most):
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            children.append(pid)
        return False
    except OSError:
        return True
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


print(json.dumps({
    "uid": os.getuid(),
    "gid": os.getgid(),
    "groups": os.getgroups(),
    "capabilities": [status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
    "no_new_privileges": status["NoNewPrivs"].strip(),
    "seccomp": status.get("Seccomp", "0").strip(),
    "uid_map": open("/proc/self/uid_map").read().split(),
    "root_writable": any(can_write(path) for path in ("/", "/usr", "/etc", "/work", "/out", "/result")),
    "tmp_writable": can_write("/tmp"),
    "interfaces": sorted(name for _, name in socket.if_nameindex()),
    "nofile": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
    "processes_bounded": processes_are_bounded(128),
    "memory_bounded": memory_is_bounded(),
}))
