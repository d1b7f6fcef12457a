/** `dubwright FILE`: a file in place of a command is dubbed with the bundled service. */

/** Names of commands hold none of these characters. Files, tracks of films and patterns hold at least one. */
const ofPaths = /[./\\*]/u

/**
 * Returns the words of `run --embedded FILE …` if the first word is a file, not a command; undefined otherwise. A file
 * is recognized by a dot or a slash in its name, or because it exists. Only `--base-url` chooses another service. The
 * environment does not: a command without the word `run` must not spend anything.
 */
export const runOfFile = (
  words: ReadonlyArray<string>,
  commands: ReadonlyArray<string>,
  exists: (path: string) => boolean
): ReadonlyArray<string> | undefined => {
  const [first = ""] = words
  if (first === "" || first.startsWith("-") || commands.includes(first)) return undefined
  if (!ofPaths.test(first) && !exists(first)) return undefined
  const chosen = words.some((word) => /^--(?:base-url|embedded)(?:=|$)/u.test(word))
  return ["run", ...words, ...(chosen ? [] : ["--embedded"])]
}

/** The note that says which service was chosen. `address` is the value of DUBWRIGHT_BASE_URL. */
export const noteOfRun = (run: ReadonlyArray<string>, address: string | undefined): string =>
  `this is dubwright ${run.join(" ")}` +
  (run.includes("--embedded") && address !== undefined && address !== ""
    ? `; dubwright run ${run[1] ?? ""} uses ${address} (DUBWRIGHT_BASE_URL)`
    : "")
