/** The help pages: the overview, and one page a command, made from its own options. */
import type { HelpDoc } from "@effect/cli/HelpDoc"
import type { Span } from "@effect/cli/HelpDoc/Span"
import { Array } from "effect"
import { pairs, wrapText } from "../terminal/TextLayout.ts"
import { topicNames } from "./ManualTopics.ts"
import type { CommandPath, CommandShape } from "./UsageCheck.ts"

/**
 * The page of a command in so many columns, by the path that leads to it from the root; the root's own is the overview.
 */
export const helpPage = (path: CommandPath, columns: number): string => {
  const [root] = path
  const command = path.at(-1) ?? root
  return path.length === 1
    ? overview(root, columns)
    : commandPage(path.map(({ name }) => name).join(" "), command, columns)
}

const overview = (root: CommandShape, columns: number): string =>
  [
    ...wrapText("dubwright: subtitles and texts in, speech on the subtitle's timeline out.", columns),
    "",
    "Usage: dubwright <command> [options] …",
    "",
    "Commands",
    ...pairs(
      root.below.map((command) => [command.name, summaryOf(command)]),
      columns
    ),
    "",
    ...pairs(
      [
        ["dubwright <command> --help", "shows a command's options."],
        ["dubwright help <topic>", `prints a page of the manual: ${topicNames.join(", ")}.`],
        [
          "dubwright --completions bash",
          "prints a script that completes commands in a shell (or zsh, fish)."
        ],
        ["dubwright --version", "prints the version."]
      ],
      columns
    ),
    "",
    "Settings in the environment",
    ...pairs(settings, columns),
    "",
    ...wrapText(
      "Results go to stdout; progress, logs and warnings to stderr, live on a terminal, plain lines elsewhere.",
      columns
    ),
    "",
    "Files",
    ...pairs(files, columns),
    "  A result appears whole or not at all.",
    "",
    ...exitCodeLines(columns),
    ""
  ].join("\n")

/** What the command's ends mean to scripts. */
export const exitCodeLines = (columns: number): ReadonlyArray<string> => [
  "Exit codes",
  ...pairs(
    exitCodes.map(([code, meaning]) => [code.padStart(3), meaning]),
    columns
  )
]

const exitCodes = [
  ["0", "every job is delivered"],
  ["1", "a fault in the program itself"],
  ["2", "bad usage, or a manifest or input that cannot be used; nothing was sent"],
  ["3", "the run finished, but a job failed (the others are delivered); or a service gave no answer"],
  ["4", "stopped for credits, the budget, the deadline or a refused key; run again to go on"],
  ["75", "another run holds the state folder"],
  ["130", "interrupted (143: terminated, 129: its terminal closed), the state saved; run again to go on"]
] as const

const settings = [
  ["DUBWRIGHT_API_KEY", "the key of the service; read from nowhere else, never printed or stored"],
  ["DUBWRIGHT_BASE_URL", "the service's address, where neither --base-url nor the manifest names one"],
  ["DUBWRIGHT_FFMPEG", "the ffmpeg to use; else the one on PATH, else the one in the npm package"],
  ["DUBWRIGHT_FLEET_PASSWORD", "the password of a fleet's Redis, where its address holds none"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "a collector that traces are sent to"],
  ["NO_COLOR", "no colours"]
] as const

const files = [
  ["OUT/<job>/<job>.wav", "and .flac .mp3 .m4a .opus .mp4 .mkv .mov .webm as asked"],
  ["OUT/<job>/<job>.srt", "re-timed to what is heard"],
  ["OUT/<job>/", "report.json, report.html; stems/, clips/ and timelines as asked"],
  ["OUT/", "run.json and index.html, the batch"]
] as const

const commandPage = (full: string, command: CommandShape, columns: number): string => {
  const { paragraphs, terms } = read(command.help)
  const positional = terms
    .filter(([name]) => name.startsWith("<"))
    .map(
      ([name, meaning]) => [command.needed.includes(bare(name)) ? name : `[${bare(name)}]`, meaning] as const
    )
  const options = terms.filter(([name]) => name.startsWith("-"))
  const [needed, others] = Array.partition(options, ([name]) => !command.needed.includes(bare(name)))
  const words = [
    `Usage: ${full}`,
    ...(command.below.length > 0 ? ["<command>"] : []),
    ...needed.map(([name]) => name),
    ...(others.length > 0 || command.below.length > 0 ? ["[options]"] : []),
    ...positional.map(([name]) => name)
  ]
  return [
    ...wrapText(words.join(" "), columns),
    "",
    ...paragraphs.flatMap((paragraph) => wrapText(paragraph, columns)),
    ...section("Arguments", positional, columns),
    ...section(
      "Commands",
      command.below.map((below) => [below.name, summaryOf(below)] as const),
      columns
    ),
    ...section("Options", options, columns),
    ""
  ].join("\n")
}

/** The name of an argument or option without brackets and what stands behind it. */
const bare = (term: string): string => term.replace(/^<([^>]*)>.*$/u, "$1").replace(/ .*$/u, "")

const section = (
  title: string,
  terms: ReadonlyArray<readonly [string, string]>,
  columns: number
): ReadonlyArray<string> => (terms.length === 0 ? [] : ["", title, ...pairs(terms, columns)])

const summaryOf = (command: CommandShape): string => read(command.help).paragraphs[0] ?? ""

interface Read {
  readonly paragraphs: ReadonlyArray<string>
  readonly terms: ReadonlyArray<readonly [string, string]>
}

/**
 * A help document's own paragraphs, and its terms with what they mean: the second paragraph, the first being the
 * type's.
 */
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
