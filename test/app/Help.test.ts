import { readdirSync, readFileSync } from "node:fs"
import stringWidth from "string-width"
import { describe, expect, test } from "vitest"
import { rootShape } from "../../src/app/CommandLine.ts"
import { fullOverview, helpPage } from "../../src/app/cli/HelpPage.ts"
import { markdownText } from "../../src/app/cli/ManualPage.ts"
import { topicNames } from "../../src/app/cli/ManualTopics.ts"
import { helpColumns } from "../../src/app/terminal/TextLayout.ts"
import { type CommandPath, type CommandShape } from "../../src/app/cli/UsageCheck.ts"
import { runHere } from "./cli/inProcess.ts"

const pathsFrom = (path: CommandPath, shape: CommandShape): ReadonlyArray<CommandPath> => [
  path,
  ...shape.below.flatMap((below) => pathsFrom([...path, below], below))
]

const paths = pathsFrom([rootShape], rootShape).map((path) => ({
  words: path.map(({ name }) => name).join(" "),
  path
}))

const topics = readdirSync("docs").filter((name) => name.endsWith(".md"))

const tooWide = (text: string, columns: number): ReadonlyArray<string> =>
  text.split("\n").filter((line) => stringWidth(line) > columns)

const wordsOf = (text: string) => new Set(text.match(/[\w-]+/gu))

describe("help on a terminal", () => {
  test.each([80, 60])("no line of a command's page is wider than %i columns", (columns) => {
    for (const { words, path } of paths) expect(tooWide(helpPage(path, columns), columns), words).toEqual([])
  })

  test.each([80, 60])("in the manual, only code is wider than %i columns", (columns) => {
    for (const topic of topics) {
      const lines = tooWide(markdownText(readFileSync(`docs/${topic}`, "utf8"), columns), columns)
      expect(
        lines.filter((line) => !line.startsWith("    ")),
        topic
      ).toEqual([])
    }
  })

  test("the overview fits a terminal of 80 columns and 24 lines, and names every command", () => {
    const overview = helpPage([rootShape], 80)
    expect(overview.trimEnd().split("\n").length).toBeLessThanOrEqual(23)
    const names = [...rootShape.below.map(({ name }) => name), "all", "topic"]
    expect(names.filter((name) => !wordsOf(overview).has(name))).toEqual([])
  })

  test("the full overview names every command, topic and general option", () => {
    const names = [...rootShape.below.map(({ name }) => name), ...topicNames, "--log-level"]
    expect(names.filter((name) => !wordsOf(fullOverview(rootShape, 80)).has(name))).toEqual([])
  })

  test("lines stay within 100 columns on a wide terminal, and without one", () => {
    expect([helpColumns(undefined), helpColumns(300), helpColumns(80)]).toEqual([100, 100, 80])
  })

  test("the usage line separates required from optional arguments", () => {
    const usageOf = (name: string) => {
      const found = paths.find(({ words }) => words === `dubwright ${name}`)
      return found === undefined ? undefined : helpPage(found.path, 100).split("\n")[0]
    }
    expect(["run", "init", "keys import", "keys revoke", "worker", "schema"].map(usageOf)).toEqual([
      "Usage: dubwright run [options] <file>…",
      "Usage: dubwright init [options] [dir]",
      "Usage: dubwright keys import --name NAME [options] [key]",
      "Usage: dubwright keys revoke [options] <key>",
      "Usage: dubwright worker --fleet URL --share WHERE [options]",
      "Usage: dubwright schema"
    ])
  })
})

describe("a page of the manual", () => {
  const page = [
    "# What it is",
    "",
    "A *word* or `two`, a [link](https://dub.example), see [how lines",
    "are fitted](fitting.md).",
    "",
    "1. **One** thing that is long enough",
    "   to go on below itself.",
    "2. Another.",
    "",
    "![A picture of it](it.svg)",
    "",
    "| key | takes | meaning |",
    "|---|---|---|",
    "| `a` | text | What a is. |",
    "| `something` | `x`, `y` | or z |",
    "",
    "| a | b | c | d |",
    "|---|---|---|---|",
    "| 1 | 2 | 3 | 4 |",
    "",
    "  ```sh",
    "  dubwright   run",
    "  ```"
  ].join("\n")

  test("is rendered as plain text", () => {
    expect(markdownText(page, 40)).toBe(
      [
        "WHAT IT IS",
        "",
        "A *word* or two, a link, see how lines",
        "are fitted (dubwright help fit).",
        "",
        "1. One thing that is long enough to go",
        "   on below itself.",
        "2. Another.",
        "",
        "[A picture of it]",
        "",
        "  a          text. What a is.",
        "  something  x, y; or z",
        "",
        "a  b  c  d",
        "1  2  3  4",
        "",
        "      dubwright   run"
      ].join("\n")
    )
  })
})

describe("a list of the manual", () => {
  test("keeps nested items below their own, and wraps them at their margin", () => {
    const page = "1. One:\n   - first of them, longer\n   - two `a|b`\n2. Two.\n\n> Note \\*this\\*."
    expect(markdownText(page, 20)).toBe(
      "1. One:\n   - first of them,\n     longer\n   - two a|b\n2. Two.\n\n  Note *this*."
    )
  })
})

describe("dubwright help", () => {
  test("suggests a topic for an unknown word", async () => {
    expect(await runHere(["help", "nightlly"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'dubwright: unknown command or topic "nightlly"; did you mean nightly? (dubwright --help lists all)\n'
    })
  })

  test("all has every command, variable, file and exit code", async () => {
    const { stdout } = await runHere(["help", "all"])
    for (const { name } of rootShape.below) expect(stdout).toMatch(new RegExp(`^  ${name} `, "mu"))
    for (const part of ["Environment variables", "Files", "Exit codes", "--log-level LEVEL"])
      expect(stdout).toContain(part)
    expect(await runHere(["help", "all", "--help"])).toEqual(await runHere(["help", "all"]))
  })

  test("without a name is the overview; --help after a name changes nothing", async () => {
    expect(await runHere(["help", "--help"])).toEqual(await runHere(["--help"]))
    expect(await runHere(["help", "run", "-h"])).toEqual(await runHere(["run", "--help"]))
    expect(await runHere(["help", "fit", "--help"])).toEqual(await runHere(["help", "fit"]))
  })
})
