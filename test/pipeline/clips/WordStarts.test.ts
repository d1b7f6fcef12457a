import { expect, test } from "vitest"
import { Segment } from "../../../src/domain/speech/Clip.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { Frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { withWordStarts } from "../../../src/pipeline/clips/WordStarts.ts"
import { wordStartsOf } from "../../../src/pipeline/report/SpokenWordStarts.ts"

const rate = SampleRate.make(24_000)
const segment = (from: number, to: number) =>
  Segment.make({ from: Frames.make(from), to: Frames.make(to), loudness: Lufs.make(-20), peak: 0.5 })
const said = ["We – all – left.", "Come back!"]
const words = [
  ["We", 10],
  ["all", 200],
  ["left.", 400],
  ["Come", 900],
  ["back!", 1_100]
].map(([text, start]) => ({ text: String(text), start: millis(Number(start)) }))
const segments = [segment(480, 16_800), segment(21_600, 36_000)] as const

test("each part gets its words; those without sound begin with the word before", () => {
  const [first, second] = withWordStarts(segments, said, words, rate)
  // The first word begins no earlier than its part.
  expect(first.words).toEqual([480, 480, 4_800, 4_800, 9_600])
  expect(second?.words).toEqual([21_600, 26_400])
})

test("parts that were not told apart, and other words, stay as they are", () => {
  expect(withWordStarts([segments[0]], said, words, rate)).toEqual([segments[0]])
  expect(withWordStarts(segments, said, [], rate)).toEqual(segments)
})

test("the words are placed with their line, as fast as it plays", () => {
  const key = UtteranceKey.make("a".repeat(64))
  const placement = Placement.make({
    lines: [LineRef.make({ cue: 2, part: 0 })],
    parts: [ClipPart.make({ utterance: key, segment: 1 })],
    start: millis(5_000),
    end: millis(5_300),
    speed: 2,
    flags: []
  })
  const clip = {
    key,
    rate,
    frames: Frames.make(40_000),
    checksum: "",
    segments: withWordStarts(segments, said, words, rate),
    cut: "alignment"
  } as const
  expect(wordStartsOf(placement, new Map([[key, clip]]))).toEqual([5_000, 5_100])
  expect(wordStartsOf(placement, new Map([[key, { ...clip, segments }]]))).toBeUndefined()
})
