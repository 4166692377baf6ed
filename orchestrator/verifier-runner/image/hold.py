#!/usr/bin/python3 -ISE
"""First process of a check's container: runs one command, then holds the container until it is told to end.

A cgroup's counters, `oom_kill` among them, can be read only while the container lives. So this process

1. makes itself unreadable for the command (not dumpable: no ptrace, no /proc/1/environ),
2. runs the command given as its arguments, with its own standard streams and without AFG_HOLD_TOKEN,
3. when the command ends, kills whatever else still runs in the container,
4. writes "\nafg-hold:<AFG_HOLD_TOKEN>:<exit code>\n" to standard error,
5. waits for SIGTERM and exits with the command's exit code (128 + n where signal n ended it).

SIGTERM before the command has ended kills everything and exits with 143. Without AFG_HOLD_TOKEN it does not hold.
"""
import os
import signal
import sys

PR_SET_DUMPABLE = 4


def forbid_reading():
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        sys.exit("afg-hold: cannot make itself unreadable")


def kill_others():
    if os.getpid() != 1:
        return
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def run(argv):
    child = os.fork()
    if child == 0:
        # Python ignores SIGPIPE and SIGXFSZ and handles SIGINT; what is ignored or blocked stays so over exec.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        try:
            os.execvp(argv[0], argv)
        except FileNotFoundError as error:
            os.write(2, f"afg-hold: {argv[0]}: {error.strerror}\n".encode())
            os._exit(127)
        except OSError as error:
            os.write(2, f"afg-hold: {argv[0]}: {error.strerror}\n".encode())
            os._exit(126)
    while True:
        caught = signal.sigwait({signal.SIGTERM, signal.SIGCHLD})
        if caught == signal.SIGTERM:
            return None
        # One SIGCHLD may stand for several ends; orphans are reaped on the way.
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if pid == 0:
                break


def main():
    argv = sys.argv[1:]
    if not argv:
        sys.exit("usage: hold COMMAND [ARGUMENT...]")
    token = os.environ.pop("AFG_HOLD_TOKEN", "")
    forbid_reading()
    # The command may send this process any signal. All stay pending but the two that are waited for.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    # A first process ignores what it has no handler for, even while it waits for it.
    signal.signal(signal.SIGTERM, lambda *_: None)
    code = run(argv)
    kill_others()
    if code is None:
        os._exit(143)
    if token:
        os.write(2, f"\nafg-hold:{token}:{code}\n".encode())
        signal.sigwait({signal.SIGTERM})
    os._exit(code)


main()
