/** The `subtitle` package parses exactly the files in which the repair would change nothing. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { parseSync } from "subtitle"
import { decodeText } from "../../../../src/script/bytes/TextDecoding.ts"
import { cueBlocks } from "../../../../src/script/formats/cues/CueBlocks.ts"
import type { TimingStyle } from "../../../../src/script/formats/cues/TimingLine.ts"
import { wellFormedCues } from "../../../../src/script/formats/cues/WellFormedCues.ts"
import { corpusFile, hasCorpus, realFiles } from "../../corpus.ts"

const styleOf = (path: string): TimingStyle => (path.endsWith(".vtt") ? "vtt" : "srt")

/** Whether `subtitle` may read a text; fails if the repair finds anything else in it. */
const isAccepted = (text: string, style: TimingStyle): boolean => {
  const blocks = wellFormedCues(text, style)
  if (blocks !== undefined)
    expect(Either.getOrThrow(cueBlocks(text, style))).toEqual({ blocks, lost: [], notices: [] })
  return blocks !== undefined
}

const isAcceptedFile = (bytes: Uint8Array, path: string): boolean =>
  Either.match(decodeText(bytes, undefined), {
    onLeft: () => false,
    onRight: ({ text }) => isAccepted(text, styleOf(path))
  })

const cue = (number: number, ...text: ReadonlyArray<string>) => [
  `${number}`,
  `00:00:0${number},000 --> 00:00:0${number},500`,
  ...text,
  ""
]
const two = (...text: ReadonlyArray<string>) => [...cue(1, ...text), ...cue(2, "Next")].join("\n")
const vtt = (...lines: ReadonlyArray<string>) =>
  ["WEBVTT", "", ...lines, "", "00:03.000 --> 00:04.000", "Next"].join("\n")

describe("wellFormedCues", () => {
  it("agrees with the repair on every fixture", () => {
    const root = join(import.meta.dirname, "../../../../fixtures/subtitles")
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.(?:srt|vtt)$/u.test(path)
    )
    const accepted = files.filter((path) => isAcceptedFile(readFileSync(join(root, path)), path))
    expect([files.length, accepted.length]).toEqual([114, 75])
  })

  it.skipIf(!hasCorpus)("agrees with the repair on real subtitles, and reads nearly all of them", () => {
    const files = realFiles().filter(({ path }) => /\.(?:srt|vtt)$/u.test(path))
    const repaired = files.filter(({ path }) => !isAcceptedFile(corpusFile(path), path))
    expect([files.length, repaired.length]).toEqual([170, 3])
  })

  it("reads SRT and WebVTT with settings, comments, and times from 100 hours on", () => {
    const text = [
      "WEBVTT - a film",
      "Kind: captions",
      "",
      "NOTE by hand",
      "",
      "7",
      "100:00:01.000 --> 100:00:02.000 align:start position:10%",
      "  It is 10:30. ",
      "42",
      "",
      "",
      "101:00:01.000 --> 101:00:02.000",
      "<v Ann>So late?"
    ].join("\n")
    expect(wellFormedCues(text, "vtt")).toEqual([
      { line: 7, number: 7, start: 360_001_000, end: 360_002_000, lines: ["It is 10:30.", "42"] },
      { line: 12, number: undefined, start: 363_601_000, end: 363_602_000, lines: ["<v Ann>So late?"] }
    ])
    expect(isAccepted(text, "vtt")).toBe(true)
    expect(isAccepted(two("One", "two"), "srt")).toBe(true)
  })

  for (const [what, text, style] of [
    ["a text line that begins with NOTE", two("Read this:", "NOTES"), "srt"],
    ["a time in the text", two("One", "00:00:01,200 --> 00:00:01,300"), "srt"],
    ["a stray time in the text", two("One 00:00:01,200 --> 00:00:01,300 two"), "srt"],
    ["a blank line in the text", two("One", "", "two"), "srt"],
    ["a line of spaces", two("One", " ", "two"), "srt"],
    ["a cue without text", `${two("One")}\n\n3\n00:00:03,000 --> 00:00:04,000`, "srt"],
    ["a fraction of one digit", two("One").replace(",500", ",5"), "srt"],
    ["a minute of 75 seconds", two("One").replace("00:00:01,500", "00:00:75,500"), "srt"],
    ["an end before the start", two("One").replace("00:00:01,500", "00:00:00,500"), "srt"],
    ["a time of 99:59:59", two("One").replaceAll("00:00:01", "99:59:59"), "srt"],
    ["words behind the time", two("One").replace(",500", ",500 and on"), "srt"],
    ["no blank line between cues", two("One").replace("\n\n", "\n"), "srt"],
    ["a cue identifier", vtt("00:01.000 --> 00:02.000", "One", "", "last"), "vtt"],
    ["a style after a cue", vtt("00:01.000 --> 00:02.000", "One", "", "STYLE", "::cue {}"), "vtt"],
    [
      "a mapping to a stream's clock",
      vtt("NOTE").replace("T\n", "T\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000\n"),
      "vtt"
    ]
  ] as const)
    it(`leaves ${what} to the repair, because subtitle misreads it`, () => {
      expect(parseSync(text).length).toBeGreaterThan(0)
      expect(wellFormedCues(text, style)).toBeUndefined()
      expect(Either.isRight(cueBlocks(text, style))).toBe(true)
    })

  for (const [what, text, style] of [
    ["another arrow", two("One").replace("-->", "->"), "srt"],
    ["a style before the first cue", vtt("STYLE", "::cue {}"), "vtt"],
    ["a text before the first cue", `A film\n\n${two("One")}`, "srt"],
    ["two blank lines below a comment", vtt("NOTE", "", ""), "vtt"]
  ] as const)
    it(`leaves ${what} to the repair, because subtitle refuses it`, () => {
      expect(() => parseSync(text)).toThrow(/expected timestamp/u)
      expect(wellFormedCues(text, style)).toBeUndefined()
      expect(Either.isRight(cueBlocks(text, style))).toBe(true)
    })

  const lines = fc.array(
    fc.constantFrom(
      ...[
        "",
        "",
        "",
        "1",
        "2",
        "3",
        "7",
        "Text",
        " Text ",
        "<b>Text",
        "10:30",
        "NOTE",
        "NOTES",
        "NOTE so",
        "  "
      ],
      ...[
        "00:00:01,000 --> 00:00:02,000",
        "00:00:03.000 --> 00:00:02.000",
        "01:00 --> 02:00",
        "0:1,5 --> 0:2,5"
      ],
      ...[
        "00:05.000 --> 00:06.000 align:left",
        "100:00:05.000 --> 100:00:06.000",
        "99:59:59,000 --> 99:59:59,000"
      ],
      ...[
        "X-TIMESTAMP-MAP=LOCAL:00:00:00.000",
        "STYLE",
        "REGION",
        "Region: id=a",
        "}",
        "WEBVTT",
        "-->",
        "a -> b"
      ],
      ...[
        "00:00:01,000,00:00:02,000",
        "٣",
        "٠٠:٠٠:٠١,٠٠٠ --> ٠٠:٠٠:٠٢,٠٠٠",
        "\ufeff",
        "#2",
        "2.",
        "{\\an8}Up"
      ]
    ),
    { maxLength: 14 }
  )
  /** Mostly well-formed: with a few of the lines above in or below a cue's text. */
  const nearly = fc
    .array(fc.tuple(fc.nat(9), fc.array(lines, { maxLength: 1 }), fc.boolean(), fc.boolean()), {
      maxLength: 4
    })
    .map((cues) =>
      cues.flatMap(([number, odd, numbered, within]) => {
        const some = odd.flatMap((all) => all.slice(0, 2))
        const whole = [...cue(number, "Text", ...(within ? some : [])), ...(within ? [] : some)]
        return numbered ? whole : whole.slice(1)
      })
    )
  const styles = fc.constantFrom<Array<TimingStyle>>("srt", "vtt", "sbv")

  it("leaves numbers in other digits to the repair", () => {
    expect(
      isAccepted(
        ["00:00:00,000 --> 00:00:00,500", "Text", "", "٣", "00:00:01,000 --> 00:00:01,500", "Text", ""].join(
          "\n"
        ),
        "srt"
      )
    ).toBe(false)
  })

  it.prop(
    "agrees with the repair on any text",
    [fc.oneof(lines, nearly), styles],
    ([given, style]) => {
      isAccepted(given.join("\n"), style)
      isAccepted(["WEBVTT", "", ...given].join("\n"), style)
    },
    { fastCheck: { numRuns: 2_000 } }
  )
})
