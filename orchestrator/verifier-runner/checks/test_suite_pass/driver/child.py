"""What a job's process does: one run of pytest with our plugin, then nothing more."""


def prepare(integrity, plugin):
    """Imports pytest and takes the fingerprints of the runner, before anything of the repository can be imported."""
    import importlib
    import sys

    import pytest
    import _pytest.config
    import _hashlib
    import json.encoder
    import os

    for name in _pytest.config.default_plugins:
        importlib.import_module(f"_pytest.{name}")
    for name in ("unittest", "unittest.case", "unittest.mock", "decimal", "fractions", "math", "operator", "doctest", "typing", "dataclasses"):
        importlib.import_module(name)
    Watcher = plugin["make_watcher"]()
    fingerprints = integrity["take_fingerprints"]()
    os_exit, flush = os._exit, (sys.stdout.flush, sys.stderr.flush)

    def run(job, tree, descriptor, key, report_path):
        send = plugin["open_channel"](descriptor, key, os.write, _hashlib.hmac_digest, json.encoder)
        watcher = Watcher(send, fingerprints, tree, report_path)
        arguments = [
            f"--rootdir={tree}",
            "-p",
            "no:cacheprovider",
            "-o",
            "junit_family=xunit2",
            "-o",
            "junit_logging=no",
            *job["options"],
            # Last, so that the suite's own settings cannot end a run early.
            "--maxfail=0",
        ]
        if job["collect"]:
            arguments.append("--collect-only")
        else:
            arguments.append(f"--junitxml={report_path}")
        code = pytest.main([*arguments, *job["files"]], plugins=[watcher])
        watcher.close(int(code))
        if job["collect"] and len(job["files"]) == 1 and job["files"][0].endswith(".py"):
            plugin["send_static_tests"](send, tree, job["files"])
        for one in flush:
            one()
        # Nothing that was registered to run at exit may run.
        os_exit(0)

    return run
