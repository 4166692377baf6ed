"""The pytest plugin that reports what happened and whether the runner was left alone."""


def open_channel(descriptor, key, write, digest, encoder):
    """A function that sends one record. It rests on C functions alone, taken before the repository's code could replace them."""
    encode = encoder.c_make_encoder(None, str, encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
    count = [0]

    def send(record, join="".join, length=len, int_type=int):
        payload = join(encode(record, 0)).encode()
        mac = digest(key, int_type(count[0]).to_bytes(8, "big") + payload, "sha256")
        count[0] += 1
        frame = length(payload).to_bytes(4, "big") + payload + mac
        while frame:
            frame = frame[write(descriptor, frame) :]

    return send


def code_objects(code, code_type):
    found = {code}
    for constant in code.co_consts:
        if isinstance(constant, code_type):
            found |= code_objects(constant, code_type)
    return found


def unwrapped(function):
    for _ in range(32):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            return getattr(function, "__func__", function)
        function = inner
    return function


def static_tests(source, path):
    """Names of the tests that a file defines, as far as its text tells."""
    import ast

    names = []

    def look(nodes, prefix):
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                names.append("::".join([*prefix, node.name]))
            elif isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or prefix == [path]):
                look(node.body, [*prefix, node.name])

    look(ast.parse(source).body, [path])
    return names


def send_static_tests(send, tree, files):
    for path in files:
        try:
            with open(f"{tree}/{path}", "rb") as file:
                send({"kind": "static", "file": path, "tests": static_tests(file.read(), path)})
        except (SyntaxError, ValueError):
            send({"kind": "static", "file": path, "tests": None})


def make_watcher():
    import hashlib
    import os
    import sys
    import types

    import pytest
    from _pytest.assertion import rewrite

    Function = types.FunctionType
    basename = os.path.basename
    digest_of = hashlib.sha256
    read = open

    class Watcher:
        """`send` gets records: collected, deselected, collect_failed, outcome, tampered, report, end."""

        def __init__(self, send, fingerprints, tree, report_path):
            self.send = send
            self.fingerprints = fingerprints
            self.tree = tree
            self.report_path = report_path
            self.told = set()
            self.plugins = []
            self.hooks = {}
            self.pinned_code = {}
            self.item_code = {}
            self.noted = {}
            self.outcomes = {}
            self.manager = None
            self.config = None

        # Whether the runner was left alone.

        def tampered(self, names):
            fresh = [name for name in names if name not in self.told]
            if fresh:
                self.told.update(fresh)
                self.send({"kind": "tampered", "names": fresh[:50]})

        def look(self, changes):
            self.tampered(sorted({*changes, *self.hook_changes()}))

        def is_known(self, plugin):
            if any(plugin is known for known in self.plugins):
                return True
            if type(plugin) is types.ModuleType:
                # Conftest files are the pinned repository's: a candidate's are refused before anything runs.
                path = getattr(plugin, "__file__", None) or ""
                return path.startswith(self.tree + "/") and basename(path) == "conftest.py"
            return type(plugin).__module__.startswith("_pytest.") or (
                isinstance(plugin, type) and plugin.__module__.startswith("_pytest.")
            )

        def hook_changes(self):
            found = []
            for name, plugin in self.manager.list_name_plugin():
                if plugin is not None and not self.is_known(plugin):
                    found.append(f"plugin {name}")
            for name, hook in list(vars(self.manager.hook).items()):
                for implementation in getattr(hook, "get_hookimpls", list)():
                    known = self.hooks.get(id(implementation))
                    if known is None:
                        self.hooks[id(implementation)] = (implementation, implementation.function)
                        if not self.is_known(implementation.plugin):
                            found.append(f"hook {name}")
                    elif known[1] is not implementation.function:
                        found.append(f"hook {name}")
            return found

        # Before the repository's code is imported.

        @pytest.hookimpl(tryfirst=True)
        def pytest_load_initial_conftests(self, early_config):
            self.config = early_config
            self.manager = early_config.pluginmanager
            self.plugins = [self, *(plugin for _, plugin in self.manager.list_name_plugin() if plugin is not None)]
            if self.tree not in sys.path:
                sys.path.append(self.tree)
            self.fingerprints.import_machinery_settled()
            self.hook_changes()

        def pin(self, path):
            """The code that a pinned file has, read and rewritten before anyone could meddle with how."""
            if path not in self.pinned_code:
                try:
                    _, code = rewrite._rewrite_test(path, self.config)
                    self.pinned_code[path] = code_objects(code, types.CodeType)
                except Exception:
                    self.pinned_code[path] = None
            return self.pinned_code[path]

        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config):
            import pathlib

            for argument in config.args:
                path = pathlib.Path(self.tree, argument.split("::")[0])
                if path.suffix == ".py":
                    self.pin(path)

        # What was collected.

        def pytest_collectreport(self, report):
            if report.failed:
                self.send({"kind": "collect_failed", "id": report.nodeid})

        def pytest_deselected(self, items):
            self.send({"kind": "deselected", "ids": [item.nodeid for item in items]})

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            self.look(self.fingerprints.all_changes())
            for item in session.items:
                self.item_code[item.nodeid] = self.code_of(item)
            self.send({"kind": "collected", "ids": [item.nodeid for item in session.items]})

        def code_of(self, item):
            function = unwrapped(getattr(item, "obj", None))
            return function.__code__ if type(function) is Function else None

        def code_changes(self, item):
            code = self.code_of(item)
            if code is not self.item_code.get(item.nodeid):
                return [f"code of {item.nodeid}"]
            pinned = self.pinned_code.get(item.path)
            if code is not None and pinned is not None and code.co_filename == str(item.path) and code not in pinned:
                return [f"code of {item.nodeid}"]
            return []

        # Every test.

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_protocol(self, item):
            self.look(self.fingerprints.runner_changes())
            self.tampered(self.code_changes(item))

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_runtest_call(self, item):
            self.tampered(self.fingerprints.vital_changes())
            self.tampered(self.code_changes(item))
            yield

        @pytest.hookimpl(tryfirst=True, hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            raised = call.excinfo is not None
            made = yield
            outcome = made.get_result().outcome
            self.noted[item.nodeid, call.when] = outcome
            if raised and outcome == "passed" and not hasattr(made.get_result(), "wasxfail"):
                self.tampered([f"outcome of {item.nodeid}"])

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(self, report):
            if self.noted.get((report.nodeid, report.when)) != report.outcome:
                self.tampered([f"outcome of {report.nodeid}"])
            phases = self.outcomes.setdefault(report.nodeid, {})
            if report.when in phases:
                self.tampered([f"outcome of {report.nodeid}"])
            phases[report.when] = "xfailed" if hasattr(report, "wasxfail") else report.outcome
            if report.when == "teardown":
                self.send({"kind": "outcome", "id": report.nodeid, "outcome": verdict_of(self.outcomes.pop(report.nodeid))})

        # The end.

        def close(self, code):
            self.look(self.fingerprints.all_changes())
            try:
                with read(self.report_path, "rb") as file:
                    self.send({"kind": "report", "sha256": digest_of(file.read()).hexdigest()})
            except OSError:
                pass
            self.send({"kind": "end", "exit": code})

    return Watcher


def verdict_of(phases):
    """One word for a test's three phases: only a test that ran and passed in all of them has passed."""
    found = list(phases.values())
    if "failed" in found:
        return "failed" if phases.get("call") == "failed" else "error"
    if "xfailed" in found:
        return "xfailed"
    if "skipped" in found:
        return "skipped"
    return "passed" if phases == {"setup": "passed", "call": "passed", "teardown": "passed"} else "error"

