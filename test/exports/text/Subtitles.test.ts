import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { parseSync } from "subtitle"
import { SpeakerName } from "../../../src/domain/values/Ids.ts"
import { SubtitleEntry } from "../../../src/domain/speech/SubtitleEntry.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { srt, vtt } from "../../../src/exports/text/Subtitles.ts"

const entry = (index: number, start: number, end: number, text: string, speaker?: string): SubtitleEntry =>
  SubtitleEntry.make({
    index,
    start: millis(start),
    end: millis(end),
    text,
    ...(speaker === undefined ? {} : { speaker: SpeakerName.make(speaker) })
  })

const cuesIn = (file: string) =>
  parseSync(file).flatMap((node) =>
    node.type === "cue" ? [{ start: node.data.start, end: node.data.end, text: node.data.text }] : []
  )

const scene = [
  entry(7, 3_723_004, 3_725_000, "Late & <i>far</i>", "BO"),
  entry(2, 1_000, 2_500, "First line\nsecond line", "ANNA"),
  entry(3, 1_000, 2_000, "Overlapping", "BO"),
  entry(4, 2_600, 2_600, ""),
  entry(5, 100 * 3_600_000, 100 * 3_600_000, "At the hundredth hour")
]

describe("srt", () => {
  it("numbers entries in order of time", () => {
    expect(srt(scene)).toBe(
      [
        "1\n00:00:01,000 --> 00:00:02,000\nOverlapping\n",
        "2\n00:00:01,000 --> 00:00:02,500\nFirst line\nsecond line\n",
        "3\n01:02:03,004 --> 01:02:05,000\nLate & <\u200Bi>far<\u200B/i>\n",
        "4\n100:00:00,000 --> 100:00:00,001\nAt the hundredth hour\n"
      ].join("\n")
    )
  })

  it("is empty for no entries", () => expect(srt([])).toBe(""))
})

describe("vtt", () => {
  it("identifies entries by cue and speaker, and escapes the text", () => {
    expect(vtt(scene.slice(0, 2))).toBe(
      [
        "WEBVTT\n",
        "2\n00:00:01.000 --> 00:00:02.500\n<v ANNA>First line\nsecond line</v>\n",
        "7\n01:02:03.004 --> 01:02:05.000\n<v BO>Late &amp; &lt;i&gt;far&lt;/i&gt;</v>\n"
      ].join("\n")
    )
  })
})

/**
 * Texts with everything that confuses readers: blank lines, numbers, time lines, comments, markup, odd line endings.
 */
const trickyLine = fc.oneof(
  fc.constantFrom(
    "",
    "  ",
    "42",
    "00:00:01,000 --> 00:00:02,000",
    "00:00:01.000 --> 00:00:02.000 align:start",
    "-->",
    "NOTE to self",
    "WEBVTT",
    "STYLE",
    "<b>bold</b>",
    "{\\an8}up",
    "&amp; & &lt;",
    "\uFEFFBOM",
    "\u0000"
  ),
  fc.string({ unit: "binary", maxLength: 12 })
)
const trickyText = fc
  .array(trickyLine, { minLength: 1, maxLength: 4 })
  .chain((lines) => fc.constantFrom("\n", "\r\n", "\r", "\u2028").map((end) => lines.join(end)))

const trickyEntries = fc
  .array(fc.tuple(fc.nat(400_000_000), fc.nat(20_000), trickyText), { maxLength: 12 })
  .map((rows) => rows.map(([start, length, text], place) => entry(place + 1, start, start + length, text)))

const words = (text: string): string => text.replaceAll(/[\s\p{Cc}\u200B\uFEFF]/gu, "")

describe("whatever the text", () => {
  it.prop("an SRT file parses back with every time and every word", [trickyEntries], ([entries]) => {
    const expected = [...entries]
      .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
      .filter(({ text }) => words(text) !== "")
      .map(({ start, end, text }) => ({
        start,
        end: Math.max(end, start + 1),
        text: words(text.replaceAll("-->", "→"))
      }))
    expect(cuesIn(srt(entries)).map((cue) => ({ ...cue, text: words(cue.text) }))).toEqual(expected)
  })

  it.prop("a WebVTT file parses back with every time and every word", [trickyEntries], ([entries]) => {
    const unescaped = (text: string) =>
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
    const expected = [...entries]
      .sort((a, b) => a.start - b.start || a.end - b.end || a.index - b.index)
      .filter(({ text }) => words(text) !== "")
      .map(({ start, end, text }) => ({ start, end: Math.max(end, start + 1), text: words(text) }))
    const read = cuesIn(vtt(entries))
    expect(read.map((cue) => ({ ...cue, text: words(unescaped(cue.text)) }))).toEqual(expected)
  })
})
