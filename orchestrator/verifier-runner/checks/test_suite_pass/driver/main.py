"""Runs test files, one process each, and reports on standard output: one line of JSON per job, then one that says all is done.

This process never loads anything of the repository. It prepares pytest, then forks for every job; a job's process reports over a pipe with
records that carry a MAC. Standard output is this process' alone: jobs get another one, and cannot open ours through /proc, because the process
is not dumpable. After each job everything else in the container is killed and what it left in /tmp is removed.
"""
import sys

DRIVER_DIRECTORY = "/in/driver"
# The interpreter put the script's own directory first.
sys.path[:] = [entry for entry in sys.path if entry not in ("", DRIVER_DIRECTORY)]
sys.dont_write_bytecode = True

import base64
import hashlib
import json
import os
import secrets
import selectors
import shutil
import signal
import site
import stat
import time

TREE = "/in/tree"
JOBS = "/in/jobs.json"
SCRATCH = "/tmp"
LOG_BYTES = 64 * 1024
RECORD_BYTES = 16 * 1024 * 1024
REPORT_BYTES = 16 * 1024 * 1024
MAC_BYTES = 32
PR_SET_DUMPABLE = 4


def set_dumpable(value):
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, value, 0, 0, 0) != 0:
        raise OSError("prctl")


def load_own(name):
    """A module of the driver, under no name that can be imported."""
    path = f"{DRIVER_DIRECTORY}/{name}.py"
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    space = {"__name__": f"afg_{name}", "__file__": path}
    exec(code, space)
    return space


def add_site_packages():
    """What `site` would add, without the code in .pth files and customizing modules."""
    for directory in site.getsitepackages():
        if os.path.isdir(directory) and directory not in sys.path:
            sys.path.append(directory)
    site.setquit()
    site.setcopyright()
    site.sethelper()


def everything_else_is_gone():
    """Kills every process but the first one and this one, and waits until none is left."""
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.002)


def clear_scratch():
    """Removes what a job left, also from folders that it closed. What cannot be removed is in no later job's way: nothing has a fixed name."""
    for folder, folders, _ in os.walk(SCRATCH):
        for name in folders:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    for entry in os.scandir(SCRATCH):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)


class Tail:
    """The beginning of a stream, at most `limit` bytes of it."""

    def __init__(self, limit):
        self.limit = limit
        self.bytes = bytearray()
        self.truncated = False

    def add(self, chunk):
        room = self.limit - len(self.bytes)
        self.bytes += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room


def read_pipes(pid, pipes):
    """Reads until the job's process has ended, kills what is left of it, then reads the rest."""
    ended = os.pidfd_open(pid)
    status = None
    with selectors.DefaultSelector() as selector:
        selector.register(ended, selectors.EVENT_READ)
        for descriptor in pipes:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if key.fd == ended:
                    status = os.waitpid(pid, 0)[1]
                    everything_else_is_gone()
                    selector.unregister(ended)
                    continue
                chunk = os.read(key.fd, 65536)
                if chunk:
                    pipes[key.fd].add(chunk)
                else:
                    selector.unregister(key.fd)
    os.close(ended)
    return status


def open_records(raw, key):
    """Records in order with valid MACs, and whether there was anything else."""
    import hmac

    records = []
    at = 0
    while at < len(raw):
        length = int.from_bytes(raw[at : at + 4], "big")
        payload = raw[at + 4 : at + 4 + length]
        mac = raw[at + 4 + length : at + 4 + length + MAC_BYTES]
        message = len(records).to_bytes(8, "big") + payload
        if len(mac) != MAC_BYTES or not hmac.compare_digest(mac, hmac.digest(key, message, "sha256")):
            return records, False
        records.append(json.loads(payload))
        at += 4 + length + MAC_BYTES
    return records, True


def become_job(job, key, report_path, result, log, child):
    """In the forked process: gives up everything of the driver's but the pipes, then runs the job."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    # A number that is not to be guessed.
    number = secrets.randbelow(700) + 64
    os.dup2(result, number, inheritable=False)
    os.closerange(3, number)
    os.closerange(number + 1, 1024)
    set_dumpable(1)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    set_dumpable(0)
    os.chdir(TREE)
    home = os.path.join(SCRATCH, f"home-{secrets.token_hex(8)}")
    os.mkdir(home)
    os.environ.clear()
    os.environ.update(
        PATH="/usr/local/bin:/usr/bin:/bin",
        HOME=home,
        TMPDIR=SCRATCH,
        LANG="C.UTF-8",
        LC_ALL="C.UTF-8",
        TZ="UTC",
        PYTHONHASHSEED="0",
        PYTHONDONTWRITEBYTECODE="1",
    )
    return child(job, TREE, number, key, report_path)


def read_report(path):
    """The report, if it is a plain file of a plausible size."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        report = file.read(REPORT_BYTES + 1)
    return report if len(report) <= REPORT_BYTES else None


def run_job(job, child):
    key = secrets.token_bytes(32)
    report_path = f"{SCRATCH}/report-{secrets.token_hex(16)}.xml"
    result_out, result_in = os.pipe()
    log_out, log_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = become_job(job, key, report_path, result_in, log_in, child)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(result_in)
    os.close(log_in)
    records, log = Tail(RECORD_BYTES), Tail(LOG_BYTES)
    status = read_pipes(pid, {result_out: records, log_out: log})
    os.close(result_out)
    os.close(log_out)
    report = read_report(report_path)
    opened, clean = open_records(bytes(records.bytes), key)
    clear_scratch()
    exit_code = os.waitstatus_to_exitcode(status)
    return {
        "records": opened,
        "clean": clean and not records.truncated,
        "exit": exit_code if exit_code >= 0 else None,
        "signal": -exit_code if exit_code < 0 else None,
        "report": None if report is None else base64.b64encode(report).decode(),
        "report_sha256": None if report is None else hashlib.sha256(report).hexdigest(),
        "log": base64.b64encode(bytes(log.bytes)).decode(),
        "log_truncated": log.truncated,
    }


def tell(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    set_dumpable(0)
    add_site_packages()
    with open(JOBS, encoding="utf-8") as file:
        jobs = json.load(file)
    integrity = load_own("integrity")
    child = load_own("child")["prepare"](integrity, load_own("plugin"))
    for number, job in enumerate(jobs):
        answer = run_job(job, child)
        tell({"job": number, **answer})
        if not job["collect"]:
            continue
        # Files that cannot be imported together, or at all, are tried one by one.
        for file in sorted({record["id"] for record in answer["records"] if record["kind"] == "collect_failed"}):
            if os.path.isfile(f"{TREE}/{file}"):
                tell({"job": number, "file": file, **run_job({**job, "files": [file]}, child)})
    tell({"end": True})


main()
