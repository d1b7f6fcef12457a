/** The help pages: the overview, and one page a command, made from its own options. */
import type { HelpDoc } from "@effect/cli/HelpDoc"
import type { Span } from "@effect/cli/HelpDoc/Span"
import type { CommandPath, CommandShape } from "./Usage.ts"

/** The page of a command, by the path that leads to it from the root; the root's own is the overview. */
export const helpPage = (path: CommandPath): string => {
  const [root] = path
  const command = path.at(-1) ?? root
  return path.length === 1 ? overview(root) : commandPage(path.map(({ name }) => name).join(" "), command)
}

const overview = (root: CommandShape): string =>
  [
    "dubwright: subtitles and texts in, speech on the subtitle's timeline out.",
    "",
    "Usage: dubwright <command> [options] …",
    "",
    "Commands",
    ...pairs(root.below.map((command) => [command.name, summaryOf(command)])),
    "",
    ...closing,
    ""
  ].join("\n")

/** What the command's ends mean to scripts. */
export const exitCodeLines: ReadonlyArray<string> = [
  "Exit codes",
  "    0  every job is delivered",
  "    1  a fault in the program itself",
  "    2  bad usage, or a manifest or input that cannot be used; nothing was sent",
  "    3  the run finished, but a job failed (the others are delivered); or a service gave no answer",
  "    4  stopped for credits, the budget, the deadline or a refused key; run again to go on",
  "   75  another run holds the state folder",
  "  130  interrupted (143: terminated), the state saved; run again to go on"
]

const closing = [
  "dubwright <command> --help shows a command's options. dubwright --version prints the version;",
  "dubwright --completions bash (or zsh, fish) prints a script that completes commands in a shell.",
  "dubwright help <topic> prints a page of the manual: manifest, text, fit, provider-rules, nightly, fleet, results,",
  "editing, service, exit-codes.",
  "",
  "Settings in the environment",
  "  DUBWRIGHT_API_KEY   the key of the service; read from nowhere else, never printed or stored",
  "  DUBWRIGHT_BASE_URL  the service's address, where neither --base-url nor the manifest names one",
  "  DUBWRIGHT_FFMPEG    the ffmpeg to use; else the one on PATH, else the one in the npm package",
  "  NO_COLOR            no colours",
  "",
  "Results go to stdout; progress, logs and warnings to stderr, live on a terminal, plain lines elsewhere.",
  "",
  "Files",
  "  OUT/<job>/<job>.wav (.flac .mp3 .m4a .mp4 .mkv as asked), <job>.srt re-timed to what is heard,",
  "  report.json, report.html, stems/, clips/; and OUT/run.json for the batch.",
  "  A result appears whole or not at all.",
  "",
  ...exitCodeLines
]

const commandPage = (full: string, command: CommandShape): string => {
  const { paragraphs, terms } = read(command.help)
  const positional = terms.filter(([name]) => name.startsWith("<"))
  const options = terms.filter(([name]) => name.startsWith("-"))
  const words = [
    `Usage: ${full}`,
    ...(command.below.length > 0 ? ["<command>"] : []),
    ...(options.length > 0 || command.below.length > 0 ? ["[options]"] : []),
    ...positional.map(([name]) => name)
  ]
  return [
    words.join(" "),
    "",
    ...paragraphs,
    ...section("Arguments", positional),
    ...section(
      "Commands",
      command.below.map((below) => [below.name, summaryOf(below)] as const)
    ),
    ...section("Options", options),
    ""
  ].join("\n")
}

const section = (title: string, terms: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> =>
  terms.length === 0 ? [] : ["", title, ...pairs(terms)]

/** Names to the left, what they mean to the right of the widest. */
export const pairs = (terms: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const wide = Math.max(0, ...terms.map(([name]) => name.length))
  return terms.flatMap(([name, meaning]) => {
    const [first = "", ...more] = wrapped(meaning, Math.max(40, 96 - wide))
    return [
      `  ${name.padEnd(wide)}  ${first}`.trimEnd(),
      ...more.map((line) => `  ${" ".repeat(wide)}  ${line}`)
    ]
  })
}

const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

const summaryOf = (command: CommandShape): string => read(command.help).paragraphs[0] ?? ""

interface Read {
  readonly paragraphs: ReadonlyArray<string>
  readonly terms: ReadonlyArray<readonly [string, string]>
}

/** A help document's own paragraphs, and its terms with what they mean: the second paragraph, the first being the type's. */
const read = (doc: HelpDoc): Read => {
  switch (doc._tag) {
    case "Empty":
    case "Header":
    case "Enumeration":
      return { paragraphs: [], terms: [] }
    case "Paragraph":
      return { paragraphs: [textOf(doc.value)], terms: [] }
    case "DescriptionList":
      return {
        paragraphs: [],
        terms: doc.definitions.map(
          ([term, meaning]) => [termOf(term), read(meaning).paragraphs[1] ?? ""] as const
        )
      }
    case "Sequence": {
      const [left, right] = [read(doc.left), read(doc.right)]
      return {
        paragraphs: [...left.paragraphs, ...right.paragraphs],
        terms: [...left.terms, ...right.terms]
      }
    }
  }
}

const termOf = (span: Span): string => textOf(span).replace(/ 1\+$/u, "…").replace(/[()]/gu, "")

const textOf = (span: Span): string => {
  switch (span._tag) {
    case "Text":
    case "URI":
      return span.value
    case "Highlight":
    case "Strong":
    case "Weak":
      return textOf(span.value)
    case "Sequence":
      return textOf(span.left) + textOf(span.right)
  }
}
