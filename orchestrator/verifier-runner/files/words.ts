/** POSIX word splitting of a command, without a shell: quotes and backslashes group, everything else is what it says. */
import { AfgError } from "../../errors.ts"

const malformed = (why: string): AfgError => new AfgError("command-malformed", `the command ${why}`)

/** `pytest -q 'a b'` → `["pytest", "-q", "a b"]`. Throws `command-malformed` for an open quote or nothing at all. */
export const splitWords = (command: string): string[] => {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] ?? ""
    if (/[ \t\n]/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "'") {
      const end = command.indexOf("'", at + 1)
      if (end < 0) throw malformed("has an open quote")
      word = (word ?? "") + command.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      word ??= ""
      for (at += 1; command[at] !== '"'; at += 1) {
        if (at >= command.length) throw malformed("has an open quote")
        if (command[at] === "\\" && /[$`"\\\n]/.test(command[at + 1] ?? "")) at += 1
        word += command[at] ?? ""
      }
    } else if (character === "\\") {
      if (at + 1 >= command.length) throw malformed("ends in a backslash")
      at += 1
      word = (word ?? "") + (command[at] ?? "")
    } else word = (word ?? "") + character
  }
  if (word !== undefined) words.push(word)
  if (words.length === 0) throw malformed("is empty")
  return words
}
