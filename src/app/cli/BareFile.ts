/** `dubwright FILE`: a file in place of a command is dubbed with the bundled service. */

/** Extensions of the files that `run` takes. */
const endings =
  /\.(?:srt|vtt|sbv|sub|ass|ssa|ttml|dfxp|itt|stl|scc|smi|sami|lrc|mpl|csv|tsv|xlsx|docx|txt|md|json|ya?ml)$/iu

/**
 * Returns the words of `run --embedded FILE …` if the first word is a file, not a command; undefined otherwise. A file
 * is recognized by its ending, or because it exists. Only `--base-url` chooses another service. The environment does
 * not: a command without the word `run` must not spend anything.
 */
export const runOfFile = (
  words: ReadonlyArray<string>,
  commands: ReadonlyArray<string>,
  exists: (path: string) => boolean
): ReadonlyArray<string> | undefined => {
  const [first = ""] = words
  if (first === "" || first.startsWith("-") || commands.includes(first)) return undefined
  if (!endings.test(first) && !exists(first)) return undefined
  const chosen = words.some((word) => /^--(?:base-url|embedded)(?:=|$)/u.test(word))
  return ["run", ...words, ...(chosen ? [] : ["--embedded"])]
}

/** The note that says which service was chosen. `address` is the value of DUBWRIGHT_BASE_URL. */
export const noteOfRun = (run: ReadonlyArray<string>, address: string | undefined): string =>
  `this is dubwright ${run.join(" ")}` +
  (run.includes("--embedded") && address !== undefined && address !== ""
    ? `; dubwright run ${run[1] ?? ""} uses ${address} (DUBWRIGHT_BASE_URL)`
    : "")
