/** Paths that a deliverable may not change: the contract's, the runner's, the hidden suite's. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { CheckOf } from "../../../orchestrator/contract/index.ts"
import { forbiddenChanges } from "../../../orchestrator/verifier-runner/checks/test_suite_pass/forbidden.ts"
import { file, tiny } from "../support/tiny.ts"

const suiteCheck = async (forbid_modified_paths: string[]): Promise<CheckOf<"test_suite_pass">> => {
  const [check] = (await tiny()).contract.acceptance.checks
  if (check?.type !== "test_suite_pass") throw new Error("the first check is the suite")
  return { ...check, forbid_modified_paths }
}

const forbidden = async (path: string, globs: string[] = [], texts: { before?: string; after?: string } = {}) => {
  const [before, after] = [texts.before, texts.after].map((text) => (text === undefined ? [] : [file(path, text)]))
  return forbiddenChanges({
    check: await suiteCheck(globs),
    changes: [{ path, before: before?.length ? "100644" : null, after: "100644" }],
    before: before ?? [],
    after: after ?? [],
    hidden: ["hidden/test_secret.py"],
  }).map((one) => one.path)
}

describe("forbidden paths", () => {
  const INFRASTRUCTURE = [
    "conftest.py",
    "tests/conftest.py",
    "src/deep/conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "setup.cfg",
    "sub/setup.cfg",
    "sitecustomize.py",
    "src/usercustomize.py",
    "sitecustomize/__init__.py",
    "src/evil.pth",
    "evil.egg-link",
    "evil-1.0.dist-info/entry_points.txt",
    "evil.egg-info/PKG-INFO",
    "src/__pycache__/calc.cpython-311.pyc",
    "tests/test_calc.pyc",
    "pytest.py",
    "src/_pytest/python.py",
    "pluggy/__init__.py",
    "CONFTEST.PY",
    "conf\u200btest.py",
    "hidden/test_secret.py",
    "Hidden/Test_Secret.py",
  ]
  for (const path of INFRASTRUCTURE) it(`always: ${JSON.stringify(path)}`, async () => assert.deepEqual(await forbidden(path), [path]))

  for (const path of ["src/calc.py", "docs/conftest.md", "src/my_conftest.py", "mypytest.py", "docs/pytest/notes.md", "tests/data.json"])
    it(`not by itself: ${path}`, async () => assert.deepEqual(await forbidden(path), []))

  it("the contract's globs, whatever the case or width", async () => {
    assert.deepEqual(await forbidden("tests/test_new.py", ["tests/**"]), ["tests/test_new.py"])
    assert.deepEqual(await forbidden("Tests/test_new.py", ["tests/**"]), ["Tests/test_new.py"])
    assert.deepEqual(await forbidden("src/calc.py", ["tests/**"]), [])
  })

  it("pyproject.toml only where pytest's settings or plugins would change", async () => {
    const plain = '[project]\nname = "a"\n'
    const settings = '[tool.pytest.ini_options]\naddopts = "-q"\n'
    const cases: readonly [string | undefined, string, boolean][] = [
      [plain, `${plain}version = "2"\n`, false],
      [plain + settings, `# a remark\n${plain}${settings}`, false],
      [plain, plain + settings, true],
      [plain + settings, plain, true],
      [plain, `${plain}[project.entry-points.pytest11]\nevil = "evil"\n`, true],
      [plain, `${plain}[tool.poetry.plugins.pytest11]\nevil = "evil"\n`, true],
      [plain, "[tool.pytest\n", true],
      [undefined, plain, false],
      [undefined, settings, true],
    ]
    for (const [before, after, is] of cases)
      assert.deepEqual(
        await forbidden("pyproject.toml", [], { after, ...(before === undefined ? {} : { before }) }),
        is ? ["pyproject.toml"] : [],
        after,
      )
  })
})
