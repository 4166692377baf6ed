/** Paths that a person, or another file system, would take for one another. */

/** Letters of other scripts that look like a Latin one. NFKC takes care of widths, ligatures and styles. */
const HOMOGLYPHS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ["a", "аɑα"],
      ["b", "ьƅ"],
      ["c", "сϲᴄⅽ"],
      ["d", "ԁⅾ"],
      ["e", "еєҽ"],
      ["f", "ƒſ"],
      ["g", "ɡց"],
      ["h", "һհ"],
      ["i", "іıɩιǀ"],
      ["j", "јϳ"],
      ["k", "кκ"],
      ["l", "ӏⅼا"],
      ["m", "мⅿ"],
      ["n", "пոη"],
      ["o", "оοσօ०০"],
      ["p", "рρ"],
      ["q", "ԛգ"],
      ["r", "гᴦ"],
      ["s", "ѕꜱ"],
      ["t", "тτ"],
      ["u", "υսᴜ"],
      ["v", "ѵνᴠ"],
      ["w", "ԝѡᴡ"],
      ["x", "хχ"],
      ["y", "уүγʏ"],
      ["z", "ᴢʐ"],
      ["_", "＿‗ˍ"],
      ["-", "‐‑‒–—−﹣"],
      [".", "․‧·٠۰"],
      ["/", "∕⁄／"],
      ["1", "١۱"],
      ["0", "ΟО"],
    ] as const
  ).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
)

/** The skeleton of a path: equal for paths that look alike. Case, width, ignorable characters and homoglyphs make no difference. */
export const foldPath = (path: string): string => {
  const plain = path.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "")
  const lower = plain.toLowerCase().normalize("NFKC")
  return [...lower].map((character) => HOMOGLYPHS[character] ?? character).join("")
}

/** A path and every folder above it. */
const withFolders = (path: string): string[] => {
  const all = [path]
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) all.push(path.slice(0, slash))
  return all
}

/** Finds a known path or folder that looks like one of `path`'s but is spelled otherwise. */
export const lookalikes = (known: Iterable<string>): ((path: string) => string | undefined) => {
  const exact = new Set<string>()
  const bySkeleton = new Map<string, string>()
  for (const path of known)
    for (const one of withFolders(path)) {
      if (exact.has(one)) continue
      exact.add(one)
      bySkeleton.set(foldPath(one), one)
    }
  return (path) => {
    for (const one of withFolders(path)) {
      const twin = exact.has(one) ? undefined : bySkeleton.get(foldPath(one))
      if (twin !== undefined) return twin
    }
    return undefined
  }
}
