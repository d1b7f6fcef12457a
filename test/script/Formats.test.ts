/** The same words in every format: no word is lost, merged or moved. Any text is parsed or rejected. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { clockTime } from "../../src/exports/text/Subtitles.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"
import { unspaced } from "../../src/script/language/WritingSystems.ts"

const encoder = new TextEncoder()

const word = fc.constantFrom(
  ...["river", "Ferry", "1984", "2.5", "10:30", "50%", "$5", "Q&A", "I", "x-ray", "mother-in-law", "don't"],
  ...["trời", "Größe", "naïve", "вода", "今天天气", "渡し場", "안녕", "مرحبا", "שלום", "नमस्ते", "สวัสดี"]
)
const ending = fc.constantFrom("", "", "", ".", ",", "?", "!")
const line = fc.array(
  fc.tuple(word, ending).map(([word, end]) => `${word}${end}`),
  { minLength: 1, maxLength: 5 }
)
const cues = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })

const clock = (at: number): string => clockTime(at * 3000, ".")
const italic = (words: ReadonlyArray<string>): string => words.map((word) => `<i>${word}</i>`).join(" ")
const plain = (words: ReadonlyArray<string>): string => words.join(" ")

/** Writes cues in each format, numbered from 1. */
const written: Readonly<
  Record<string, (cues: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>) => ReadonlyArray<string>>
> = {
  "a.srt": (cues) =>
    cues.flatMap((lines, i) => [
      String(i + 1),
      `${clockTime(i * 3000, ",")} --> ${clockTime(i * 3000 + 2000, ",")}`,
      ...lines.map(italic),
      ""
    ]),
  "numberless.srt": (cues) =>
    cues.flatMap((lines, i) => [`${clock(i)} --> ${clock(i + 1)}`, ...lines.map(plain), ""]),
  "a.vtt": (cues) => [
    "WEBVTT",
    "",
    ...cues.flatMap((lines, i) => [
      `${clock(i)} --> ${clock(i + 1)}`,
      ...lines.map((words) => italic(words).replaceAll("&", "&amp;")),
      ""
    ])
  ],
  "a.sbv": (cues) =>
    cues.flatMap((lines, i) => [`${clock(i)},${clock(i + 1)}`, lines.map(plain).join("[br]"), ""]),
  "a.ass": (cues) => [
    "[Events]",
    "Format: Start, End, Text",
    ...cues.map(
      (lines, i) => `Dialogue: ${clock(i)},${clock(i + 1)},{\\i1}${lines.map(plain).join("\\N{\\i0}")}`
    )
  ],
  "a.txt": (cues) => cues.flatMap((lines) => [...lines.map(plain), ""]),
  "a.md": (cues) => cues.flatMap((lines) => [...lines.map((words) => `**${words.join("** **")}**`), ""])
}

/** The letters and digits of the spoken text, with a space between words if their script uses spaces. */
const said = (file: string, text: string): string => {
  const script = Either.getOrThrowWith(
    readScript(encoder.encode(text), file),
    (rejected) => new Error(rejected.message)
  )
  return lettersOf(
    spokenWords(script, { speakerLabels: "speak", rolling: "keep" }, [])
      .cues.flatMap((cue) => ("parts" in cue ? cue.parts.map((part) => part.said) : []))
      .join(" ")
  )
}

const lettersOf = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}\s]/gu, "")
    .split(/\s+/u)
    .filter((word) => word !== "")
    .join(" ")
    .replace(new RegExp(`(?<=${unspaced}\\p{M}*) (?=${unspaced})`, "gu"), "")

describe("every format", () => {
  for (const [file, write] of Object.entries(written))
    it.prop(
      `${file} speaks each word once, in order`,
      [cues, fc.constantFrom("\n", "\r\n", "\r"), fc.constantFrom("", "\ufeff")],
      ([cues, lineEnd, mark]) => {
        const words = lettersOf(cues.flat(2).join(" "))
        expect(said(file, mark + write(cues).join(lineEnd))).toBe(words)
      }
    )

  const scraps = fc.array(
    fc.constantFrom(
      ...["\n", "\n\n", " ", "\t", "word", "1", "#2", "2.", "00:00:01,000 --> 00:00:02,000", "-->", "0:05 "],
      ...[
        "WEBVTT",
        "NOTE",
        "STYLE",
        "[Events]\n",
        "Format: ",
        "Start, End, Text\n",
        "Dialogue: ",
        "0:00:01.00,"
      ],
      ...[
        "<i>",
        "</i>",
        "<v Anna>",
        "<",
        "{\\p1}",
        "{",
        "}",
        "♪",
        "¶",
        "* a *",
        "[Bo] ",
        "MAN #1: ",
        "- ",
        ">>"
      ],
      ...[
        "&amp;lt;",
        "&#0;",
        "\u202b",
        "\ud83d",
        "\u0000",
        "<!--",
        "```",
        "[^1]: ",
        "1984. ",
        "|",
        "--|--",
        "[["
      ],
      ...["漢(かん)", ".שלום", "[12/03/2024, 10:15:32] ", "[00:01.000 --> 00:02.000] "]
    ),
    { maxLength: 30 }
  )

  it.prop(
    "parses or rejects any text, with ordered cues and unique numbers",
    [scraps, fc.constantFrom("a.srt", "a.vtt", "a.sbv", "a.ass", "a.txt", "a.md")],
    ([scraps, file]) => {
      const script = readScript(encoder.encode(scraps.join("")), file)
      const faults = Either.isLeft(script) ? script.left.faults.length : 0
      const cues = Either.isRight(script) && script.right._tag === "Subtitle" ? script.right.cues : []
      if (Either.isRight(script)) spokenWords(script.right, {}, [])
      expect(faults).toBeLessThanOrEqual(11)
      expect(new Set(cues.map((cue) => cue.index)).size).toBe(cues.length)
      expect(cues.map((cue) => cue.start)).toEqual(cues.map((cue) => cue.start).sort((a, b) => a - b))
      expect(cues.every((cue) => cue.end >= cue.start)).toBe(true)
    },
    { fastCheck: { numRuns: 400 } }
  )
})
