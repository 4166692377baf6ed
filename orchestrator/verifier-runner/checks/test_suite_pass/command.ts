/** What of a `test_command` goes into our own runs of pytest. */
import { AfgError } from "../../../errors.ts"
import { splitWords } from "../../files/words.ts"

/** Options that go along, and paths that narrow what is run. */
export type TestCommand = { options: string[]; paths: string[] }

/** Options without any bearing on which tests run and how they are judged; what they print is in the log. */
const PASSED_ON: readonly RegExp[] = [
  /^-(?:q+|v+|s|l)$/,
  /^-r[A-Za-z]+$/,
  /^--(?:quiet|verbose|showlocals|no-header|no-summary|strict-markers|strict-config|strict|disable-warnings|disable-pytest-warnings)$/,
  /^--(?:tb|color|durations|durations-min|verbosity|capture|show-capture|import-mode|log-level|log-cli-level|basetemp)=.*$/,
]
/** The report's place is ours; ending early would hide tests, and canaries fail in every run. */
const LEFT_OUT: readonly RegExp[] = [/^--junit-?xml=.*$/, /^-x$/, /^--exitfirst$/, /^--maxfail=\d+$/, /^-p=?no:cacheprovider$/]
const WITH_VALUE = new Set(["--junitxml", "--junit-xml", "--maxfail", "--tb", "--color", "--import-mode", "-W", "-p"])
const LEFT_OUT_WITH_VALUE = new Set(["--junitxml", "--junit-xml", "--maxfail"])

const unsupported = (word: string, why: string): AfgError => new AfgError("test-command-unsupported", `test_command: ${word}: ${why}`)

const afterProgram = (words: readonly string[]): readonly string[] => {
  const [program = "", second, third] = words
  if (/^(?:py\.?test|pytest-3)$/.test(program)) return words.slice(1)
  if (/^python(?:3(?:\.\d+)?)?$/.test(program) && second === "-m" && (third === "pytest" || third === "py.test")) return words.slice(3)
  throw unsupported(program, "only pytest is known")
}

const withValue = (option: string, value: string | undefined): string[] => {
  if (value === undefined) throw unsupported(option, "needs a value")
  if (LEFT_OUT_WITH_VALUE.has(option)) return []
  if (option === "-p") {
    if (value !== "no:cacheprovider") throw unsupported(`-p ${value}`, "plugins are not loaded by name")
    return []
  }
  return [option, value]
}

const checkedPath = (path: string): string => {
  const normal = path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")
  if (normal.startsWith("/") || normal.split("/").includes("..")) throw unsupported(path, "leaves the repository")
  return normal === "." ? "" : normal
}

/** Throws `test-command-unsupported`, `command-malformed`. */
export const readTestCommand = (command: string): TestCommand => {
  const words = afterProgram(splitWords(command))
  const options: string[] = []
  const paths: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ""
    if (WITH_VALUE.has(word)) {
      at += 1
      options.push(...withValue(word, words[at]))
    } else if (!word.startsWith("-")) paths.push(checkedPath(word))
    else if (PASSED_ON.some((known) => known.test(word))) options.push(word)
    else if (!LEFT_OUT.some((known) => known.test(word))) throw unsupported(word, "an option that may change what is run")
  }
  return { options, paths: paths.filter((path) => path !== "") }
}
