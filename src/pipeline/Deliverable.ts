/** What a job's files are made of, and how its programme is put into them. */
import { Array, Effect, Stream } from "effect"
import type { Clip } from "../domain/Clip.ts"
import type { UtteranceKey } from "../domain/Ids.ts"
import type { Placement } from "../domain/Placement.ts"
import type { SubtitleEntry } from "../domain/SubtitleEntry.ts"
import { deliveryRate, type Frames, SampleRate } from "../domain/Units.ts"
import type { AudioSink } from "../ffmpeg/Encode.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import type { Job } from "./Job.ts"
import { lengthAt, type Programme } from "./Mixdown.ts"
import { Progress } from "./Progress.ts"
import type { Reel } from "./Reel.ts"

/** Everything that a job's files are made of. */
export interface Deliverable {
  readonly job: Job
  /** The folder of the batch's results; absolute. */
  readonly out: string
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** The result's length in frames at 48 kHz. */
  readonly length: Frames
  /** What is heard, with the source's wording. */
  readonly entries: ReadonlyArray<SubtitleEntry>
  /** How the film counts its pictures, for editors' timelines. */
  readonly reel: Reel
}

/** What every audio file of a job has in common. */
export const about = ({ job, length }: Deliverable) => ({
  rate: deliveryRate,
  frames: length,
  tags: { title: job.id, ...(job.language === undefined ? {} : { language: job.language }) }
})

/** The mix at the highest rate of its clips; 24 kHz where there are none. */
export const programmeOf = ({ job, placements, clips, length }: Deliverable): Programme => {
  const rate = SampleRate.make(
    placements.reduce(
      (highest, { parts }) =>
        Math.max(highest, ...parts.map(({ utterance }) => clips.get(utterance)?.rate ?? 0)),
      24_000
    )
  )
  const pans = Object.values(job.speakers).some(({ pan }) => pan !== undefined && pan !== 0)
  return {
    placements,
    clips,
    rate,
    length: lengthAt(length, deliveryRate, rate),
    channels: pans ? 2 : 1,
    panOf: (speaker) => (speaker === undefined ? 0 : (job.speakers[speaker]?.pan ?? 0))
  }
}

/** Encodes a programme into all its sinks in one pass, telling how far it is. */
export const encode = Effect.fnUntraced(function* <E, R>(
  { job }: Deliverable,
  { rate, channels, length }: Programme,
  sinks: ReadonlyArray<AudioSink>,
  blocks: Stream.Stream<Float32Array, E, R>
) {
  const ffmpeg = yield* Ffmpeg
  const progress = yield* Progress
  let written = 0
  let told = 0
  const telling = blocks.pipe(
    Stream.tap((block) => {
      written += block.length / channels
      const fraction = length === 0 ? 1 : written / length
      if (fraction < told + 0.05) return Effect.void
      told = fraction
      return progress.emit({ _tag: "Delivering", job: job.id, fraction })
    })
  )
  if (!Array.isNonEmptyReadonlyArray(sinks)) return yield* Stream.runDrain(telling)
  yield* ffmpeg.encode(
    { feed: { rate, channels, frames: length, sample: "float32" }, sinks: [...sinks] },
    telling
  )
})
