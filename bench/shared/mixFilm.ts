/**
 * Builds the film that the mix benchmark delivers: thousands of clips of real speech, stored as in a run, with their
 * places on the timeline.
 */
import { createReadStream, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { loudnessOf } from "../../src/audio/speech/ClipSplitting.ts"
import { fromInt16, type Pcm, scaled } from "../../src/audio/pcm/Pcm.ts"
import { resample } from "../../src/audio/pcm/Resampling.ts"
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { Clip, Segment } from "../../src/domain/speech/Clip.ts"
import { JobId, SpeakerName, UtteranceKey } from "../../src/domain/values/Ids.ts"
import { frameRateNamed } from "../../src/domain/time/FrameRate.ts"
import type { OutputName } from "../../src/domain/manifest/Outputs.ts"
import type { LoudnessTarget } from "../../src/domain/manifest/SoundSettings.ts"
import { ClipPart, Placement } from "../../src/domain/speech/Placement.ts"
import { skipValidation } from "../../src/domain/values/SkipValidation.ts"
import { frames, Lufs, type Millis, millis, millisHolding, SampleRate } from "../../src/domain/time/Units.ts"
import { LineRef } from "../../src/domain/speech/Utterance.ts"
import type { OutputPlan } from "../../src/pipeline/deliver/OutputPlan.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { plainJob } from "../../test/pipeline/deliver/plainJob.ts"

export const rate = SampleRate.make(24_000)

/** The film's duration and its clips. */
export interface Film {
  readonly hours: number
  readonly clips: ReadonlyArray<FilmClip>
}

export interface FilmClip {
  readonly key: string
  readonly at: Millis
  readonly frames: number
  readonly checksum: string
  readonly loudness: number
  /** Absent for 24 kHz. */
  readonly rate?: SampleRate
}

/** Lines of many lengths. */
export const sentences = [
  "The harbour was empty when we came down the hill.",
  "Nobody had told the captain that the bridge would be closed until Thursday morning.",
  "Wait!",
  "I counted seventeen lamps along the quay, and only four of them were lit.",
  "She never liked the smell of diesel.",
  "If the ferry leaves before six, we can still be home for the evening news.",
  "Who put these crates here?",
  "There is a letter for you on the kitchen table, next to the blue jug.",
  "Turn left at the old mill, then follow the river until you reach the second gate.",
  "Not today."
]

/** Speaks sentences in several voices and paces: up to 5 s each, at various loudness. */
const spoken = async (): Promise<ReadonlyArray<Pcm>> => {
  // Imported lazily, because the process whose memory is measured speaks nothing.
  const { openEspeak } = await import("../../src/engines/local/EspeakThread.ts")
  const engine = await openEspeak()
  return ["en-us", "en-us+m3", "en-us+f3", "en-us+f2"].flatMap((voice, who) =>
    sentences.map((text, which) => {
      const pieces = text.split(" ").map((word) => ({ text: word, english: false }))
      const pace = 0.85 + 0.1 * ((which + who) % 4)
      const said = engine.speak({ _tag: "Sentence", voice, rate: pace, pitch: 0, pieces })
      const samples = scaled(fromInt16(said.samples), 0.4 + 0.15 * ((3 * which + who) % 5))
      const pcm = resample({ rate: said.rate, samples }, rate)
      return { rate, samples: pcm.samples.subarray(0, 5 * rate) }
    })
  )
}

/** Latest start of a clip after its turn, in milliseconds. */
const latest = 160

/** Least silence between two clips, in frames, so that lines never overlap. */
const pause = 0.05 * rate

/** Stores `count` clips in the state folder, spread over the film, and writes their list. */
export const makeFilm = Effect.fn("bench.makeFilm")(function* (folder: string, hours: number, count: number) {
  const clips = yield* ClipFolder
  const voices = yield* Effect.promise(spoken)
  const spacing = (hours * 3_600_000) / count
  const most = Math.floor((spacing - latest) * (rate / 1000) - pause)
  const made: Array<FilmClip> = []
  for (let i = 0; i < count; i++) {
    const source = voices[(i * 7) % voices.length]
    if (source === undefined) continue
    // No two clips are the same file: each is slightly softer than the previous one from the same source.
    const pcm = { rate, samples: scaled(source.samples.subarray(0, most), 1 - (i % 1000) / 4000) }
    const key = UtteranceKey.make(`${i}`.padStart(64, "0"))
    const { checksum } = yield* clips.keep(key, encodeWav16(pcm))
    made.push({
      key,
      at: millis(i * spacing + (i % 5) * (latest / 4)),
      frames: pcm.samples.length,
      checksum,
      loudness: loudnessOf(pcm)
    })
  }
  const film: Film = { hours, clips: made }
  mkdirSync(folder, { recursive: true })
  writeFileSync(filmFile(folder), [hours, ...made].map((part) => JSON.stringify(part)).join("\n"))
  return film
})

/** The duration in hours, then one clip per line. */
const filmFile = (folder: string) => join(folder, "film.jsonl")

/** Reads a film line by line, because a run never holds the text of all its clips in memory either. */
export const readFilm = async (folder: string): Promise<Film> => {
  const lines = createInterface({ input: createReadStream(filmFile(folder)) })
  let hours: number | undefined
  const clips: Array<FilmClip> = []
  for await (const line of lines) {
    if (hours === undefined) hours = Number(line)
    else clips.push(JSON.parse(line))
  }
  return { hours: hours ?? 0, clips }
}

export const pathOfClip = (folder: string, { key }: FilmClip): string =>
  join(folder, "state", "clips", `${key}.wav`)

/** Returns the path of a clip as received. */
export const mp3Of = (folder: string, { key }: FilmClip): string => join(folder, "received", `${key}.mp3`)

/** Returns the film as a job's output plan. Lines are sped up by the factor `speed`; `voices` speakers take turns. */
export const deliverableOf = (
  film: Film,
  out: string,
  id: string,
  outputs: ReadonlyArray<OutputName>,
  loudness: LoudnessTarget,
  depth: 16 | 24,
  speed = 1,
  voices = 3
): OutputPlan => ({
  job: plainJob(outputs, { id: JobId.make(id), loudness, audio: { depth } }),
  out,
  placements: film.clips.map(({ key, at, frames: length, rate: own = rate }, cue) => {
    return Placement.make(
      {
        lines: [LineRef.make({ cue: cue + 1, part: 0 }, skipValidation)],
        parts: [ClipPart.make({ utterance: UtteranceKey.make(key), segment: 0 }, skipValidation)],
        speaker: SpeakerName.make(`VOICE ${1 + (cue % voices)}`),
        start: at,
        end: millis(at + millisHolding(frames(Math.round(length / speed)), own)),
        speed,
        flags: []
      },
      skipValidation
    )
  }),
  clips: new Map(
    film.clips.map(({ key, frames: length, checksum, loudness: measured, rate: own = rate }) => {
      const segment = Segment.make(
        { from: frames(0), to: frames(length), loudness: Lufs.make(measured), peak: 0.5 },
        skipValidation
      )
      const clip = Clip.make(
        {
          key: UtteranceKey.make(key),
          rate: own,
          frames: frames(length),
          checksum,
          segments: [segment],
          cut: "whole"
        },
        skipValidation
      )
      return [clip.key, clip]
    })
  ),
  length: frames(film.hours * 3600 * 48_000),
  entries: () => [],
  chapters: [],
  reel: { frameRate: frameRateNamed("25"), startFrame: 0, width: 1920, height: 1080 }
})
