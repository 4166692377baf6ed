/** Code that tries to be paid without doing the work. It runs for real, in real containers; none of it may pass. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { containers } from "../support/engine.ts"
import { calc, FAULTY, resultOf, tiny, verifyTiny } from "../support/tiny.ts"

type Attack = { name: string; code: string; is: string | RegExp; detail?: RegExp; timeout_s?: number }

/** `code` is `src/calc.py` before its unchanged fault. */
const ATTACKS: readonly Attack[] = [
  {
    name: "two lines that replace Function.runtest by nothing",
    code: "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
    is: "runner_changed",
    detail: /_pytest\.python\.Function\.runtest/,
  },
  {
    name: "another code object in Function.runtest",
    code: "import _pytest.python\n_pytest.python.Function.runtest.__code__ = (lambda self: None).__code__\n",
    is: "runner_changed",
    detail: /Function\.runtest/,
  },
  {
    name: "a runner that only spares the known tests",
    code: `import _pytest.python
_run = _pytest.python.Function.runtest
def runtest(self):
    if "test_calc" not in self.nodeid and "test_large" not in self.nodeid:
        _run(self)
_pytest.python.Function.runtest = runtest
`,
    is: "runner_changed",
  },
  {
    name: "reports that always say passed",
    code: `import _pytest.reports
_make = _pytest.reports.TestReport.from_item_and_call.__func__
def make(cls, item, call):
    report = _make(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(make)
`,
    is: "runner_changed",
    detail: /TestReport\.from_item_and_call/,
  },
  {
    name: "a plugin registered from inside that turns failures into passes",
    code: `import gc, pytest
class Evil:
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        made = yield
        made.get_result().outcome = "passed"
for one in gc.get_objects():
    if type(one).__name__ == "PytestPluginManager":
        one.register(Evil(), "helper")
`,
    is: "runner_changed",
    detail: /plugin helper|hook pytest_runtest_makereport/,
  },
  {
    name: "an assertion error that nobody raises",
    code: "import builtins\nclass Quiet(Exception):\n    def __new__(cls, *_):\n        return object.__new__(cls)\nbuiltins.AssertionError = Quiet\n",
    is: "runner_changed",
    detail: /builtins\.AssertionError/,
  },
  {
    name: "an import hook for test modules",
    code: "import sys\nclass Hook:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n        return None\nsys.meta_path.insert(0, Hook)\n",
    is: "runner_changed",
    detail: /sys\.meta_path/,
  },
  {
    name: "tests rewritten in memory when the first one runs",
    code: `import sys
def _spoil():
    for name, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if name.startswith("test_") else []:
            if hasattr(value, "__code__") and value.__code__.co_argcount == 0:
                value.__code__ = (lambda: None).__code__
class Eager:
    def __eq__(self, other):
        _spoil()
        return False
def double(value):
    return Eager()
`,
    is: "runner_changed",
    detail: /code of tests\/test_calc\.py|code of hidden/,
  },
  {
    name: "a perfect summary and os._exit(0) at import",
    code: 'import os\nprint("==== 2 passed in 0.01s ====", flush=True)\nos._exit(0)\n',
    is: "process_died",
  },
  { name: "sys.exit(0) at import", code: "import sys\nsys.exit(0)\n", is: "tests_failed" },
  { name: "os._exit(0) in the middle of a test", code: "import os\ndef double(value):\n    os._exit(0)\n", is: "process_died" },
  { name: "skipping the whole module", code: 'import pytest\npytest.skip("later", allow_module_level=True)\n', is: "test_missing" },
  { name: "skipping in the test", code: 'import pytest\ndef double(value):\n    pytest.skip("later")\n', is: "tests_failed" },
  { name: "an xfail from inside", code: 'import pytest\ndef double(value):\n    pytest.xfail("later")\n', is: "tests_failed" },
  {
    name: "a JUnit file written over again by a process left behind",
    code: `import glob, os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            for name in glob.glob("/tmp/report-*.xml"):
                with open(name, "w") as file:
                    file.write('<testsuites><testsuite tests="1"><testcase classname="tests.test_calc" name="test_double"/></testsuite></testsuites>')
            time.sleep(0.0005)
    os._exit(0)
`,
    is: /tests_failed|report_changed|report_invalid/,
  },
  {
    name: "a report written at exit",
    code: "import atexit, glob\ndef write():\n    for name in glob.glob('/tmp/report-*.xml'):\n        open(name, 'w').write('<testsuites/>')\natexit.register(write)\n",
    is: "tests_failed",
  },
  {
    name: "forged results on every descriptor",
    code: `import json, os
for number in range(3, 1024):
    try:
        os.write(number, json.dumps({"kind": "outcome", "id": "tests/test_calc.py::test_double", "outcome": "passed"}).encode())
    except OSError:
        pass
`,
    is: "report_changed",
  },
  {
    name: "forged answers on the driver's own output, by way of /proc",
    code: `import os
for pid in (1, os.getppid()):
    for number in range(0, 16):
        try:
            os.write(os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY), b'{"end": true}\\n')
        except OSError:
            pass
`,
    is: "tests_failed",
  },
  {
    name: "pytest.raises that takes anything",
    code: "import contextlib, pytest\npytest.raises = lambda *a, **k: contextlib.suppress(BaseException)\n",
    is: "runner_changed",
    detail: /pytest\.raises/,
  },
  {
    name: "a runner patched after the first test and mended before the last",
    code: `import _pytest.python
_run = _pytest.python.Function.runtest
def double(value):
    _pytest.python.Function.runtest = lambda self: setattr(_pytest.python.Function, "runtest", _run)
    return value * 2
`,
    is: "runner_changed",
  },
  {
    name: "instructions overwritten in memory",
    code: `import ctypes, _pytest.python
code = _pytest.python.Function.runtest.__code__
nothing = (lambda self: None).__code__
offset = type(code).__basicsize__
ctypes.memmove(id(code) + offset, id(nothing) + offset, 2)
ctypes.memmove(id(code) + offset, bytes(nothing.co_code), len(nothing.co_code))
`,
    is: /runner_changed|process_died|tests_failed/,
  },
  {
    name: "a report that is a pipe, and folders that nobody may enter",
    code: `import atexit, os
def double(value):
    os.makedirs("/tmp/closed/inner", exist_ok=True)
    open("/tmp/closed/inner/x", "w").close()
    os.chmod("/tmp/closed/inner", 0)
    os.chmod("/tmp/closed", 0)
    for name in os.listdir("/tmp"):
        if name.startswith("report-"):
            os.unlink("/tmp/" + name)
            os.mkfifo("/tmp/" + name)
    return value + 2
`,
    is: /tests_failed|report_invalid|report_changed|timeout/,
    timeout_s: 20,
  },
  { name: "the test driver killed", code: "import os\nos.kill(os.getppid(), 9)\n", is: "runner_killed" },
  { name: "a test that never ends", code: "while True:\n    pass\n", is: "timeout", timeout_s: 5 },
  { name: "more memory than there is", code: "hoard = []\nwhile True:\n    hoard.append(bytearray(1 << 24))\n", is: "out_of_memory" },
  {
    name: "a fork bomb",
    code: "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n",
    is: /timeout|out_of_memory|process_died/,
    timeout_s: 8,
  },
  {
    name: "a full disk",
    code: "with open('/tmp/fill', 'wb') as file:\n    while True:\n        file.write(bytes(1 << 20))\n",
    is: /tests_failed|process_died|out_of_memory/,
  },
  {
    name: "a flood of output",
    code: "import os\nwhile True:\n    os.write(1, b'x' * 65536)\n",
    // It ends by the clock, or before that by the cap on output: which comes first depends on the machine.
    is: /^(timeout|tests_failed|process_died)$/,
    timeout_s: 5,
  },
  {
    name: "a profile function that watches every call",
    code: "import sys\nsys.setprofile(lambda *_: None)\n",
    is: "runner_changed",
    detail: /sys\.setprofile/,
  },
]

const found = await containers()

describe("test_suite_pass against deliverables that cheat", { skip: found === null && "there is no container engine" }, () => {
  if (found === null) return
  const { engine, image } = found
  after(() => engine.close())
  for (const attack of ATTACKS)
    it(attack.name, async () => {
      const world = await tiny({ image: image.runner_image, check: attack.timeout_s === undefined ? {} : { timeout_s: attack.timeout_s } })
      const verification = await verifyTiny(world, calc(attack.code + (attack.code.includes("def double") ? "" : FAULTY)), engine)
      const { status, summary } = resultOf(verification, "c1")
      assert.equal(status, "fail", JSON.stringify(summary))
      assert.equal(verification.verdict, "FAIL")
      if (typeof attack.is === "string") assert.equal(summary.code, attack.is, JSON.stringify(summary))
      else assert.match(String(summary.code), attack.is, JSON.stringify(summary))
      if (attack.detail) assert.match(String(summary.detail), attack.detail)
    })
})
