/** Films of few sounds, and edits of their lines, for tests of deliveries. */
import { FastCheck as fc } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { SpeakerName, UtteranceKey } from "../../../src/domain/values/Ids.ts"
import type { OutputPlan } from "../../../src/pipeline/deliver/OutputPlan.ts"
import type { BackgroundTrack } from "../../../src/pipeline/plan/media/JobBackground.ts"
import { checksumOf } from "../../../src/store/files/Checksum.ts"
import { speechLike } from "../../audio/signals.ts"
import { plainJob } from "./plainJob.ts"

export const rate = SampleRate.make(24_000)

const keyOf = (sound: number) => UtteranceKey.make(`${sound}`.padStart(64, "0"))

/** The voice of this sound has another sample rate. */
const otherVoice = 3

/**
 * Voices and texts: clips of different lengths and levels. The last ones are far louder than their stated loudness, so
 * they are limited.
 */
export const clips = new Map(
  [0, 1, 2, 3, 4, 5].map((sound) => {
    const own = sound === otherVoice ? SampleRate.make(22_050) : rate
    const { samples } = speechLike(own, 0.6 + 0.3 * sound, sound + 1)
    const wav = encodeWav16({ rate: own, samples })
    const length = frames(samples.length)
    const segment = Segment.make({
      from: frames(0),
      to: length,
      loudness: Lufs.make(-18 - 4 * sound),
      peak: 0.5
    })
    const checksum = checksumOf(wav)
    const clip = Clip.make({
      key: keyOf(sound),
      rate: own,
      frames: length,
      checksum,
      segments: [segment],
      cut: "whole"
    })
    return [clip.key, { clip, wav }] as const
  })
)

interface Line {
  readonly start: number
  readonly sound: number
  readonly speaker: string
}

export interface Film {
  readonly lines: ReadonlyArray<Line>
  readonly seconds: number
}

/** Speech of a sound in milliseconds, sped up a little. */
const lengthOf = (sound: number) => Math.floor((600 + 300 * sound) * 0.9)

/** Settings of a job, and the background under its voices. */
export interface FilmSettings extends Partial<OutputPlan["job"]> {
  readonly under?: BackgroundTrack | undefined
}

/** Returns the delivery of a film as WAV and stems. */
export const outputOf = (
  { lines, seconds }: Film,
  out: string,
  { under, ...more }: FilmSettings
): OutputPlan => ({
  job: plainJob(["wav", "stems"], more),
  out,
  background: under,
  placements: [...lines]
    .sort((a, b) => a.start - b.start)
    .map(({ start, sound, speaker }, cue) =>
      Placement.make({
        lines: [LineRef.make({ cue: cue + 1, part: 0 })],
        parts: [ClipPart.make({ utterance: keyOf(sound), segment: 0 })],
        speaker: SpeakerName.make(speaker),
        start: millis(start),
        end: millis(start + lengthOf(sound)),
        speed: 1.11,
        flags: []
      })
    ),
  clips: new Map([...clips].map(([key, { clip }]) => [key, clip])),
  length: frames(seconds * 48_000),
  entries: () => [],
  chapters: [],
  reel: { frameRate: frameRateNamed("25"), startFrame: 0, width: 1920, height: 1080 }
})

/** A line every few seconds. */
export const filmOf = (seconds: number): Film => ({
  seconds,
  lines: Array.from({ length: Math.floor(seconds / 10) }, (_, at) => ({
    start: 10_000 * at + (at % 5) * 400,
    sound: (7 * at) % 6,
    speaker: at % 3 === 0 ? "BO" : "ANNA"
  }))
})

/** A line every two seconds, so that many overlap, of one speaker after the other. */
export const crowdOf = (seconds: number, speakers: number): Film => ({
  seconds,
  lines: Array.from({ length: Math.floor(seconds / 2) }, (_, at) => ({
    start: 2_000 * at + (at % 5) * 400,
    sound: (7 * at) % 6,
    speaker: `VOICE ${at % speakers}`
  }))
})

export const edit = fc.record({
  kind: fc.constantFrom("text", "voice", "time", "speaker", "insert", "delete", "length", "none"),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  sound: fc.nat(5),
  by: fc.integer({ min: -3_000, max: 3_000 })
})

type Edit = typeof edit extends fc.Arbitrary<infer A> ? A : never

/** Applies an edit to the line at a fraction of the film. */
export const edited = ({ lines, seconds }: Film, { kind, at, sound, by }: Edit): Film => {
  const index = Math.floor(at * lines.length)
  const line = lines[index]
  if (line === undefined) return { lines, seconds }
  const start = Math.max(0, line.start + by)
  const withLine = (changed: Line) => ({ seconds, lines: lines.map((one) => (one === line ? changed : one)) })
  switch (kind) {
    case "text":
      return withLine({ ...line, sound })
    case "voice":
      return withLine({ ...line, sound: line.sound === otherVoice ? sound : otherVoice })
    case "time":
      return withLine({ ...line, start })
    case "speaker":
      return withLine({
        ...line,
        speaker: lines.find(({ speaker }) => speaker !== line.speaker)?.speaker ?? line.speaker
      })
    case "insert":
      return { seconds, lines: [...lines, { start, sound, speaker: "BO" }] }
    case "delete":
      return { seconds, lines: lines.filter((one) => one !== line) }
    case "length":
      return { seconds: seconds + by / 1_000, lines }
    default:
      return { lines, seconds }
  }
}
