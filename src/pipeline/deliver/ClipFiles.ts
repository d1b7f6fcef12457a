/** The clips of a job as Broadcast Wave files: one per placement, for editors. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Clock, Effect, Option } from "effect"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { resample } from "../../audio/pcm/Resampling.ts"
import { finishedWav } from "../../audio/formats/OutputConversion.ts"
import { dateBytes } from "../../audio/formats/WavHeader.ts"
import { decibelsOf, gainOf } from "../../audio/pcm/Pcm.ts"
import { digitalSourceUri, syntheticMark } from "../../domain/values/SyntheticMark.ts"
import { clockTime } from "../../exports/text/Subtitles.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import {
  deliveryRate,
  type Frames,
  frames,
  framesAt,
  framesBetween,
  type SampleRate
} from "../../domain/time/Units.ts"
import { type ClipNote, describedClip, gainNamed, heldGain, ixml } from "../../exports/text/Ixml.ts"
import { asciiText } from "../../exports/text/SingleLineText.ts"
import { framesUnder, pictureStart } from "../../exports/timelines/TimelineLanes.ts"
import type { OutputPlan } from "./OutputPlan.ts"
import { withBuffers } from "../mix/BufferScope.ts"
import { limitPeaks } from "../mix/LoudnessNormalization.ts"
import type { Level } from "./MixEncoding.ts"
import { type Programme, renderPlacement } from "../mix/MixLines.ts"
import { framesBeforeStart, type VideoTimebase } from "../plan/media/VideoTimebase.ts"
import { openFolder, writeChanged } from "../report/ResultFolder.ts"

/** Clips written at once. */
const writtenAtOnce = 4

/**
 * Writes one Broadcast Wave file per placement, named by cue, speaker and time, about as loud as in the mix. It starts
 * on a video frame, and its chunks hold timecode, cue, speaker and text. An unchanged file is not rewritten.
 */
export const deliverClips = Effect.fnUntraced(function* (
  made: OutputPlan,
  programme: Programme,
  { gain, peak }: Level,
  folder: string
) {
  const path = yield* Path.Path
  yield* openFolder(folder)
  const { rate } = programme
  const { depth = 16 } = made.job.audio
  const noteOf = notesOf(made)
  const originationDate = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
  const decibels = yield* steadyGain(
    decibelsOf(gain),
    made.placements.map((placement) => path.join(folder, `${clipFileName(placement)}.wav`))
  )
  const clipOf = Effect.fnUntraced(function* (placement: Placement, allocate: Buffer32) {
    // The clip is resampled after the speed-up. At another rate, the speed-up would cut it elsewhere, and it would not
    // match the mix.
    const speech = yield* renderPlacement(programme, placement, spokenLength(placement, rate), allocate)
    const { samples: at48 } = resample({ rate, samples: speech }, deliveryRate, allocate)
    const limited = limitPeaks(at48, deliveryRate, gainOf(decibels), peak, at48.length, allocate)
    const samples = new Float32Array(fileLength(placement, made.reel))
    samples.set(limited, silenceBefore(placement, made.reel))
    const note = { ...noteOf(placement), gain: decibels }
    const { frameRate } = made.reel
    const codingHistory = made.job.markSynthetic
      ? [`A=PCM,F=${deliveryRate},W=${depth},M=mono,T=${digitalSourceUri("speech")}`]
      : []
    const time = {
      rate: deliveryRate,
      depth,
      timeReference: timeReferenceOf(placement, made.reel),
      codingHistory,
      frameRate
    }
    return finishedWav(
      { rate: deliveryRate, samples },
      depth,
      {
        broadcast: {
          timeReference: time.timeReference,
          description: asciiText(describedClip(note)),
          originator: "dubwright",
          originationDate,
          codingHistory
        },
        ixml: ixml(note, time),
        tags: made.job.markSynthetic ? { keywords: syntheticMark("speech") } : {}
      },
      allocate
    )
  })
  return yield* Effect.forEach(
    made.placements,
    Effect.fnUntraced(function* (placement) {
      const file = path.join(folder, `${clipFileName(placement)}.wav`)
      yield* writeChanged(file, yield* withBuffers((allocate) => clipOf(placement, allocate)), dateBytes)
      return file
    }),
    { concurrency: writtenAtOnce }
  )
})

const spokenLength = ({ start, end }: Placement, rate: SampleRate): Frames =>
  framesBetween(framesAt(start, rate), framesAt(end, rate))

/** Largest difference from the mix's gain at which the previous gain is kept, in dB. */
const nearGain = 0.5

/**
 * Returns the gain of all clips in dB: that of the previous run's clips, if it is close. The mix's gain changes by
 * hundredths with any line, and would change every clip file.
 */
const steadyGain = Effect.fnUntraced(function* (gain: number, files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  for (const file of files) {
    const limited = yield* Effect.option(fs.readFile(file))
    if (Option.isNone(limited)) continue
    const before = gainNamed(Buffer.from(limited.value.subarray(0, maxHeader)).toString("latin1"))
    return before !== undefined && Math.abs(before - gain) <= nearGain ? before : heldGain(gain)
  }
  return heldGain(gain)
})

/** Bytes before a clip's samples, at most; they include the cue's text. */
const maxHeader = 65_536

/** Length of a clip's file: padded with silence to the end of its last video frame. */
export const fileLength = (placement: Placement, { frameRate }: VideoTimebase): Frames =>
  frames(
    Math.max(
      silenceBefore(placement, { frameRate }) + spokenLength(placement, deliveryRate),
      framesUnder(placement, frameRate, deliveryRate)
    )
  )

/** Frames at 48 kHz from the start of the video frame to the start of the speech. */
const silenceBefore = ({ start }: Placement, { frameRate }: Pick<VideoTimebase, "frameRate">): Frames =>
  framesBetween(pictureStart(start, frameRate, deliveryRate), framesAt(start, deliveryRate))

/** Position of a clip's first frame, in frames at 48 kHz since midnight of the film's timecode. */
export const timeReferenceOf = ({ start }: Placement, reel: VideoTimebase): Frames =>
  frames(pictureStart(start, reel.frameRate, deliveryRate) + framesBeforeStart(reel))

/** Returns the metadata for each clip's file. */
const notesOf = (made: OutputPlan): ((placement: Placement) => Omit<ClipNote, "gain">) => {
  const textOf = placedText(made)
  return (placement) => ({
    project: made.job.id,
    cue: placement.lines[0].cue,
    part: placement.lines[0].part + 1,
    speaker: placement.speaker ?? "voice",
    text: textOf(placement)
  })
}

/** Returns a placement's text as in the source. */
export const placedText = ({ entries }: OutputPlan): ((placement: Placement) => string) => {
  const texts = new Map(entries().map(({ index, text }) => [index, text]))
  return ({ lines }) => Array.dedupe(lines.flatMap(({ cue }) => texts.get(cue) ?? [])).join(" ")
}

/** Returns `0001_ANNA_00-00-01-000`: cue, part if there are several, speaker and start time. */
export const clipFileName = ({ lines: [line], speaker, start }: Placement): string => {
  const number = `${line.cue}`.padStart(4, "0")
  const part = line.part === 0 ? "" : `.${line.part + 1}`
  const clock = clockTime(start, ".").replaceAll(/[:.]/gu, "-")
  return `${number}${part}_${plainName(speaker ?? "voice")}_${clock}`
}

/** Reduces a name to characters that every file system allows. */
export const plainName = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60)
    // Removes half of a surrogate pair that was cut.
    .replace(/\p{Cs}$/u, "") || "voice"
