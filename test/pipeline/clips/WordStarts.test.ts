import { expect, test } from "vitest"
import { Segment } from "../../../src/domain/speech/Clip.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { Frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { ProviderId, UtteranceKey, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { timesParts } from "../../../src/pipeline/clips/ClipAnalysis.ts"
import { wordsOfTranscript } from "../../../src/pipeline/clips/ClipStorage.ts"
import { withWordStarts } from "../../../src/pipeline/clips/ClipStorage.ts"
import { lineShares } from "../../../src/pipeline/report/JobReportBuilder.ts"
import { wordStartsOf } from "../../../src/pipeline/report/JobReportBuilder.ts"

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

test("parts that were not told apart share their words; without them, parts stay as they are", () => {
  const [whole] = withWordStarts([segment(480, 36_000)], said, words, rate)
  expect(whole.words).toEqual([480, 480, 4_800, 4_800, 9_600, 21_600, 26_400])
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
  // Pieces of a line play in sequence: 680 ms and a gap of 120 ms before the second, at twice the speed.
  const pieces = [0, 1].map((part) => ClipPart.make({ utterance: key, segment: part }))
  const [first = placement.parts[0], ...others] = pieces
  const inPieces = Placement.make({ ...placement, parts: [first, ...others] })
  expect(wordStartsOf(inPieces, new Map([[key, clip]]))).toEqual([
    5_000, 5_000, 5_090, 5_090, 5_190, 5_400, 5_500
  ])
})

test("lines that share a placement are captioned from their first words on", () => {
  const key = UtteranceKey.make("b".repeat(64))
  const casting = Casting.make({ provider: ProviderId.make("p"), voice: VoiceId.make("v") })
  const lines = said.map((text, cue) => ({ cue, part: 0, said: text, casting }))
  const placement = Placement.make({
    lines: [LineRef.make({ cue: 0, part: 0 }), LineRef.make({ cue: 1, part: 0 })],
    parts: [ClipPart.make({ utterance: key, segment: 0 })],
    start: millis(5_000),
    end: millis(6_500),
    speed: 1,
    flags: ["together"]
  })
  const clip = {
    key,
    rate,
    frames: Frames.make(40_000),
    checksum: "",
    segments: [segment(480, 36_000)] as const,
    cut: "together"
  } as const
  const edgesOf = (segments: (typeof clip)["segments"]) =>
    [
      ...lineShares({
        lines,
        placements: [placement],
        clips: new Map([[key, { ...clip, segments }]])
      }).values()
    ].map(({ start, end, words }) => [start, end, words])
  const [timed] = withWordStarts(clip.segments, said, words, rate)
  expect(edgesOf([timed])).toEqual([
    [5_000, 5_880, [5_000, 5_000, 5_180, 5_180, 5_380]],
    [5_880, 6_500, [5_880, 6_080]]
  ])
  // Without the times of words: in proportion to characters, 16 of 26.
  expect(edgesOf(clip.segments)).toEqual([
    [5_000, 5_923, undefined],
    [5_923, 6_500, undefined]
  ])
})

test("a transcript of words gives their times, one of sentences does not", () => {
  const json = (entries: ReadonlyArray<object>) =>
    ({ format: "json", text: JSON.stringify({ words: entries }) }) as const
  const spoken = words.map(({ text, start }) => ({ text, start: start / 1000, end: start / 1000 + 0.1 }))
  expect(wordsOfTranscript(said, json(spoken))).toEqual(words)
  const sentences = [{ text: said.join(" "), start: 0.01, end: 1.2 }]
  expect(wordsOfTranscript(said, json(sentences))).toEqual([])
  // It does not state either where one of two parts of its sentence ends.
  const parts = [said[0] ?? "", said[1] ?? ""] as const
  expect(timesParts({ said: parts, transcript: json(spoken) })).toBe(true)
  expect(timesParts({ said: parts, transcript: json(sentences) })).toBe(false)
  expect(wordsOfTranscript(said, undefined)).toEqual([])
})
