/** Patches for tests, in git's format. */

const lines = (text: string): string[] => {
  const all = text.split("\n")
  return all.at(-1) === "" ? all.slice(0, -1) : all
}

export const addFile = (path: string, content: string, mode = "100644"): string => {
  const body = lines(content)
  return [
    `diff --git a/${path} b/${path}`,
    `new file mode ${mode}`,
    "index 0000000..1111111",
    "--- /dev/null",
    `+++ b/${path}`,
    `@@ -0,0 +1,${body.length} @@`,
    ...body.map((line) => `+${line}`),
    "",
  ].join("\n")
}

/** Replaces a whole file's text. */
export const replaceFile = (path: string, before: string, after: string): string => {
  const [old, now] = [lines(before), lines(after)]
  return [
    `diff --git a/${path} b/${path}`,
    "index 1111111..2222222 100644",
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1,${old.length} +1,${now.length} @@`,
    ...old.map((line) => `-${line}`),
    ...now.map((line) => `+${line}`),
    "",
  ].join("\n")
}

export const deleteFile = (path: string, content: string): string => {
  const body = lines(content)
  return [
    `diff --git a/${path} b/${path}`,
    "deleted file mode 100644",
    "index 1111111..0000000",
    `--- a/${path}`,
    "+++ /dev/null",
    `@@ -1,${body.length} +0,0 @@`,
    ...body.map((line) => `-${line}`),
    "",
  ].join("\n")
}
