/** Honest deliverables and unusual suites: what must pass, and what is nobody's failure. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { addFile } from "../support/diff.ts"
import { containers } from "../support/engine.ts"
import { calc, FAULTY, FIXED, file, MODULE, resultOf, TARGET, type TinyOptions, tiny, verifyTiny } from "../support/tiny.ts"

const found = await containers()
const INI = file("pytest.ini", "[pytest]\npythonpath = src\n")
const CALC = file(MODULE, FAULTY)
const suite = (...files: ReturnType<typeof file>[]) => [INI, CALC, ...files]
const TESTS = file("tests/test_calc.py", "from calc import double\n\n\ndef test_double():\n    assert double(3) == 6\n")

type Honest = { name: string; world?: TinyOptions; patch?: string; status: "pass" | "fail" | "error"; code?: string; detail?: RegExp }

const CASES: readonly Honest[] = [
  { name: "the plain fix", status: "pass" },
  {
    name: "a fix with new files and changed project settings that are not pytest's",
    patch: calc(FIXED) + addFile("src/more.py", "x = 1\n") + addFile("docs/notes.md", "hello\n"),
    status: "pass",
  },
  { name: "no hidden suite", world: { hidden: [] }, status: "pass" },
  { name: "no target tests", world: { check: { target_tests: [] } }, status: "pass" },
  {
    name: "a list of tests that must pass, another failing",
    world: { base: suite(TESTS, file("tests/test_other.py", "def test_never():\n    assert False\n")), check: { must_pass: [TARGET] } },
    status: "pass",
  },
  {
    name: "a test that must pass and is not there",
    world: { check: { must_pass: ["tests/test_calc.py::test_nothing"] } },
    status: "error",
    code: "test-unknown",
  },
  {
    name: "a target that is not there",
    world: { check: { target_tests: ["tests/test_calc.py::test_nothing"] } },
    status: "error",
    code: "target-unknown",
  },
  {
    name: "a target that passes before the patch",
    world: { check: { target_tests: ["tests/test_calc.py::test_two"] } },
    status: "error",
    code: "target-not-failing",
  },
  {
    name: "tests of a module that the patch adds",
    world: {
      base: suite(
        TESTS,
        file(
          "tests/test_new.py",
          "import pytest\nfrom triple import triple\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_triple(n):\n    assert triple(n) == 3 * n\n",
        ),
      ),
      check: { target_tests: [TARGET, "tests/test_new.py::test_triple"] },
    },
    patch: calc(FIXED) + addFile("src/triple.py", "def triple(n):\n    return 3 * n\n"),
    status: "pass",
  },
  {
    name: "the same, where the patch adds no such module",
    world: {
      base: suite(TESTS, file("tests/test_new.py", "from triple import triple\n\n\ndef test_triple():\n    assert triple(1) == 3\n")),
      check: { target_tests: [TARGET, "tests/test_new.py::test_triple"] },
    },
    status: "fail",
    code: "tests_failed",
  },
  {
    name: "fixtures, classes, unittest, mocks, monkeypatching, subprocesses, warnings, conftest",
    world: {
      base: suite(
        TESTS,
        file("tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef six():\n    return 6\n"),
        file("tests/helpers.py", "def check(value):\n    assert value == 6\n"),
        file(
          "tests/test_all.py",
          `import builtins
import subprocess
import sys
import unittest
import warnings
from unittest import mock

import pytest
from calc import double
from helpers import check


class TestGroup:
    def test_fixture(self, six):
        check(six)

    def test_paths(self, tmp_path, monkeypatch):
        (tmp_path / "a").write_text("x")
        monkeypatch.setattr(builtins, "input", lambda: "6")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert input() == "6"


class Old(unittest.TestCase):
    def setUp(self):
        self.value = 3

    def test_old(self):
        self.assertEqual(double(self.value), 6)


@mock.patch("builtins.open")
def test_mock(opened):
    open("x")
    assert opened.called


def test_capture(capsys):
    print("six")
    assert capsys.readouterr().out == "six\\n"


def test_subprocess():
    assert subprocess.run([sys.executable, "-c", "print(6)"], capture_output=True, check=True).stdout == b"6\\n"


def test_warning():
    with pytest.warns(UserWarning):
        warnings.warn("x", UserWarning)


@pytest.mark.parametrize("a, b", [(1, 2), ("x/y::z", "[]"), ("ä", "\\n")])
def test_odd_ids(a, b):
    assert a != b
`,
        ),
      ),
    },
    status: "pass",
  },
  {
    name: "a suite that changes the runner itself can judge nobody",
    world: {
      base: suite(
        TESTS,
        file("tests/test_rude.py", "import builtins\n\n\ndef test_rude():\n    builtins.sorted = list\n\n\ndef test_more():\n    pass\n"),
      ),
    },
    status: "error",
    code: "suite-unusable",
  },
  {
    name: "a suite that is no Python",
    world: { base: suite(TESTS, file("tests/test_bad.py", "def (\n")) },
    status: "error",
    code: "suite-unusable",
  },
  {
    name: "a suite in which a settings file ends runs at the first failure",
    world: { base: [file("pytest.ini", "[pytest]\npythonpath = src\naddopts = -x --strict-markers\n"), CALC, TESTS] },
    status: "pass",
  },
  {
    name: "a skipped test is not a passed one",
    world: { base: suite(TESTS, file("tests/test_skip.py", "import pytest\n\n\n@pytest.mark.skip\ndef test_later():\n    pass\n")) },
    status: "fail",
    code: "tests_failed",
  },
  { name: "a fix of nothing", patch: addFile("docs/x.md", "x\n"), status: "fail", code: "tests_failed" },
  { name: "conftest.py", patch: calc(FIXED) + addFile("tests/conftest.py", "x = 1\n"), status: "fail", code: "forbidden_path" },
  {
    name: "help put among the tests, where the contract allows it, is not there when they run",
    world: {
      base: suite(
        file(
          "tests/test_calc.py",
          "from calc import double\n\ntry:\n    import helper\nexcept ImportError:\n    helper = None\n\n\ndef test_double():\n    assert helper is None and double(3) == 6\n",
        ),
      ),
      check: { forbid_modified_paths: [] },
    },
    patch: calc(FIXED) + addFile("tests/helper.py", "x = 1\n"),
    status: "pass",
  },
  {
    name: "a deliverable that looks for the driver's own channels",
    patch: calc(`import os
found = []
for pid in ("1", str(os.getppid())):
    for name in ("fd/1", "fd/2", "mem", "environ", "maps"):
        try:
            open(f"/proc/{pid}/{name}", "r+b" if name.startswith("fd") else "rb").close()
            found.append(name)
        except OSError:
            pass
for root in ("/in/tree/.git", "/in/tree/.afg"):
    if os.path.exists(root):
        found.append(root)
def double(value):
    return found if found else value * 2
`),
    status: "pass",
  },
]

describe("test_suite_pass with honest deliverables", { skip: found === null && "there is no container engine" }, () => {
  if (found === null) return
  const { engine, image } = found
  after(() => engine.close())
  for (const { name, world, patch, status, code, detail } of CASES)
    it(name, async () => {
      const verification = await verifyTiny(await tiny({ image: image.runner_image, ...world }), patch ?? calc(FIXED), engine)
      const result = resultOf(verification, "c1")
      assert.equal(result.status, status, JSON.stringify(result.summary))
      assert.equal(result.summary.code, code, JSON.stringify(result.summary))
      if (detail) assert.match(String(result.summary.detail), detail)
    })
})
