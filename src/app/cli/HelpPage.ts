/** Help pages: the overview of one screen, the full one, and a page per command built from its option definitions. */
import type { HelpDoc } from "@effect/cli/HelpDoc"
import type { Span } from "@effect/cli/HelpDoc/Span"
import { Array } from "effect"
import { pairs, wrapText } from "../terminal/TextLayout.ts"
import { topicNames } from "./ManualTopics.ts"
import { soundNames, videoNames } from "../../domain/manifest/Outputs.ts"
import { exitMeanings } from "../ExitCodes.ts"
import { fullName, type CommandPath, type CommandShape } from "./UsageCheck.ts"

/** Renders a command's page, at most `columns` wide; `path` leads from the root, whose own page is the overview. */
export const helpPage = (path: CommandPath, columns: number): string => {
  const [root] = path
  const command = path.at(-1) ?? root
  return path.length === 1 ? overview(root, columns) : commandPage(fullName(path), command, columns)
}

/** The overview. It fits a screen of 80 columns and 24 lines, and leaves one line for the prompt. */
const overview = (root: CommandShape, columns: number): string => {
  const others = root.below.filter(({ name }) => !usual.some(([known]) => known === name))
  return [
    ...opening(columns),
    "",
    "Commands",
    ...pairs(usual, columns),
    ...wrapText(`Also: ${others.map(({ name }) => name).join(", ")}`, columns - 2).map((line) => `  ${line}`),
    "",
    "More help",
    ...pairs(
      [
        ["<command> --help", "a command's options"],
        ["help <topic>", "a page of the manual: start, manifest, text, results, …"],
        ["help all", "all commands, topics, general options, variables, exit codes"]
      ],
      columns
    ),
    ""
  ].join("\n")
}

const opening = (columns: number): ReadonlyArray<string> => [
  ...wrapText("dubwright turns subtitles and text into speech on the subtitle's timeline.", columns),
  "",
  "Usage: dubwright <subtitle or text>",
  "       dubwright <command> [options] …"
]

/** The commands for films, in the order of the work, in fewer words than on their own pages. */
const usual = [
  ["demo", "dub a short scene, to see how it works"],
  ["init", "write a manifest for a folder of subtitles"],
  ["plan", "show the cost and every problem; spends nothing"],
  ["run", "dub a batch; run it again to resume"],
  ["status", "show finished and remaining work"],
  ["retry", "retry failed lines, then run the batch"],
  ["review", "edit single lines in a browser"],
  ["verify", "compare the delivered audio with its report"],
  ["doctor", "check Node, ffmpeg, the service and the key"]
] as const

const everywhere = [
  ["--help", "show a command's options"],
  ["--version", "print the version"],
  ["--log-level LEVEL", "print log lines of this level (debug, …) and above"],
  ["--completions SHELL", "print a completion script for bash, zsh or fish"]
] as const

/** All commands, environment variables, files and exit codes. */
export const fullOverview = (root: CommandShape, columns: number): string =>
  [
    ...opening(columns),
    "",
    "Commands",
    ...pairs(
      root.below.map((command) => [command.name, summaryOf(command)]),
      columns
    ),
    "",
    "Options of every command",
    ...pairs(everywhere, columns),
    "",
    "Manual",
    ...pairs([["dubwright help <topic>", topicNames.join(", ")]], columns),
    "",
    "Environment variables",
    ...pairs(settings, columns),
    "",
    ...wrapText(
      "Results go to stdout. Progress, logs and warnings go to stderr: a live display on a terminal, plain lines elsewhere.",
      columns
    ),
    "",
    "Files",
    ...pairs(files, columns),
    "  Files are written atomically: complete or not at all.",
    "",
    ...exitCodeLines(columns),
    ""
  ].join("\n")

/** The exit codes and their meanings, as lines. */
export const exitCodeLines = (columns: number): ReadonlyArray<string> => [
  "Exit codes",
  ...pairs(
    Object.values(exitMeanings).map(([code, meaning]) => [`${code}`.padStart(3), meaning]),
    columns
  )
]

const settings = [
  ["DUBWRIGHT_API_KEY", "the service's key; read only from here, never printed or stored"],
  ["DUBWRIGHT_BASE_URL", "service URL, if neither --base-url nor the manifest sets one"],
  ["DUBWRIGHT_FFMPEG", "path of ffmpeg; default: on PATH, then the npm package's"],
  ["DUBWRIGHT_FLEET_PASSWORD", "password of the fleet's Redis, if its URL has none"],
  ["DUBWRIGHT_LISTEN_URL", "speech recogniser of `listen`, if the manifest names none"],
  ["DUBWRIGHT_LISTEN_KEY", "key of that speech recogniser"],
  ["DUBWRIGHT_REWRITE_URL", "language model of `rewrite`, if the manifest names none"],
  ["DUBWRIGHT_REWRITE_KEY", "key of that language model"],
  ["DUBWRIGHT_VOICES", "folder of installed neural voices"],
  ["DUBWRIGHT_VOICES_MIRROR", "mirror from which `voices add` downloads; default: each voice's publisher"],
  ["AWS_ACCESS_KEY_ID, …", "keys of S3, for --share s3:// and serve --files (dubwright help fleet)"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "OpenTelemetry collector that receives traces"],
  ["NO_COLOR", "disable colours"]
] as const

const files = [
  [
    "OUT/<job>/<job>.wav",
    `the audio; ${[...soundNames.slice(1), ...videoNames].map((name) => `.${name}`).join(" ")} if listed in outputs`
  ],
  ["OUT/<job>/<job>.srt", "the subtitle, re-timed to the speech"],
  ["OUT/<job>/", "report.json, report.html; stems/, clips/ and timelines if listed in outputs"],
  ["OUT/", "run.json and index.html for the whole batch"]
] as const

const commandPage = (full: string, command: CommandShape, columns: number): string => {
  const { paragraphs, terms } = read(command.help())
  const positional = terms
    .filter(([name]) => name.startsWith("<"))
    .map(
      ([name, meaning]) => [command.needed.includes(bare(name)) ? name : `[${bare(name)}]`, meaning] as const
    )
  const options = terms.filter(([name]) => name.startsWith("-"))
  const [needed, others] = Array.partition(options, ([name]) => !command.needed.includes(bare(name)))
  const words = [
    `Usage: ${full}`,
    ...(command.below.length === 0 ? [] : [command.options.length > 0 ? "[command]" : "<command>"]),
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

/** Strips the brackets and the placeholder from an argument or option. */
const bare = (term: string): string => term.replace(/^<([^>]*)>.*$/u, "$1").replace(/ .*$/u, "")

const section = (title: string, terms: ReadonlyArray<readonly [string, string]>, columns: number) =>
  terms.length === 0 ? [] : ["", title, ...pairs(terms, columns)]

const summaryOf = (command: CommandShape): string => read(command.help()).paragraphs[0] ?? ""

interface Read {
  readonly paragraphs: ReadonlyArray<string>
  readonly terms: ReadonlyArray<readonly [string, string]>
}

/**
 * Splits a help document into its paragraphs and its terms. A term's meaning is its second paragraph; the first names
 * the value's type.
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
