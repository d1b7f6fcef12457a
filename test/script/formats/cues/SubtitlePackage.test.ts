/** Our reader and the `subtitle` package find the same cues in well-formed files. */
import { expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { parseSync } from "subtitle"
import { decodeText } from "../../../../src/script/bytes/TextDecoding.ts"
import { cueBlocks } from "../../../../src/script/formats/cues/CueBlocks.ts"
import type { TimingStyle } from "../../../../src/script/formats/cues/TimingLine.ts"
import { subtitleFile } from "../../../../src/exports/text/Subtitles.ts"
import { trimmed } from "../../../../src/script/markup/CueLines.ts"
import { corpusFile, hasCorpus, realFiles } from "../../corpus.ts"

const ours = (text: string, style: TimingStyle) =>
  Either.map(cueBlocks(text, style), ({ blocks }) =>
    blocks.map(({ start, end, lines }) => ({ start, end, text: lines.join("\n") }))
  )

const theirs = (text: string) =>
  Either.try(() =>
    parseSync(text).flatMap(({ type, data }) =>
      type === "cue"
        ? [{ start: data.start, end: data.end, text: trimmed(data.text.split("\n")).join("\n") }]
        : []
    )
  )

it.skipIf(!hasCorpus)("on real subtitles, but for one that is damaged", () => {
  const files = realFiles().filter(({ path }) => /\.(?:srt|vtt)$/u.test(path))
  const differing = files.filter(({ path }) => {
    const { text } = Either.getOrThrow(decodeText(corpusFile(path), undefined))
    const read = ours(text, path.endsWith(".vtt") ? "vtt" : "srt")
    return JSON.stringify(read) !== JSON.stringify(theirs(text))
  })
  expect(differing.map(({ path }) => path)).toEqual(["real/de/arduino.de.vtt"])
})

const texts = fc.stringMatching(/^[A-Za-z][a-z ,.!?]{0,30}[a-z]$/u)
const written = fc
  .array(
    fc.tuple(
      fc.nat(5_000),
      fc.integer({ min: 1, max: 5_000 }),
      fc.array(texts, { minLength: 1, maxLength: 3 })
    ),
    {
      minLength: 1,
      maxLength: 5
    }
  )
  .map((cues) => {
    let at = 0
    return cues.map(([pause, length, lines], index) => {
      const start = at + pause
      at = start + length
      return { id: index + 1, start, end: at, text: lines.join("\n") }
    })
  })

it.prop("on what is written with it", [written], ([cues]) => {
  for (const [format, style] of [
    ["SRT", "srt"],
    ["WebVTT", "vtt"]
  ] as const) {
    const text = subtitleFile(cues, format)
    expect(ours(text, style)).toEqual(theirs(text))
    expect(Either.getOrThrow(ours(text, style))).toEqual(cues.map(({ id: _, ...cue }) => cue))
  }
})
