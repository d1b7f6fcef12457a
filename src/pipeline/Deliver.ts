/** The last step of a job: its placements mixed and encoded once, then muxed, with subtitles, stems and clips as asked. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect, Stream } from "effect"
import { PeakMeter } from "../audio/Peaks.ts"
import { encodeWav16 } from "../audio/Wav.ts"
import type { Clip } from "../domain/Clip.ts"
import type { UtteranceKey } from "../domain/Ids.ts"
import type { OutputName } from "../domain/Manifest.ts"
import type { Placement } from "../domain/Placement.ts"
import type { SubtitleEntry } from "../domain/SubtitleEntry.ts"
import { deliveryRate, type Frames, framesAt, framesBetween, millis, SampleRate } from "../domain/Units.ts"
import { srt } from "../exports/Srt.ts"
import { vtt } from "../exports/Vtt.ts"
import { usualDuck } from "../ffmpeg/Duck.ts"
import type { AudioFormat, AudioSink } from "../ffmpeg/Encode.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import type { Job } from "./Job.ts"
import { levelled, mixedTo, targetOf } from "./Levelling.ts"
import { lengthAt, mixOf, type Programme, speechOf } from "./Mixdown.ts"
import { Progress } from "./Progress.ts"
import { makeFolder, writeResult } from "./ResultFolder.ts"

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
}

/** Makes a job's files; returns their paths, in the order made, what the programme measures, and its outline. */
export const deliver = Effect.fn("Deliver.deliver")(function* (made: Deliverable) {
  const { job, out, entries } = made
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const folder = path.join(out, job.id)
  const fileOf = (ending: string) => path.join(folder, `${job.id}.${ending}`)
  yield* makeFolder(folder)

  const wants = (output: OutputName) => job.outputs.includes(output)
  const videos = videoNames.filter(wants)
  // A video needs the sound as a file: without a WAV among the results one is made for the time being.
  const passing = videos.length > 0 && !wants("wav") ? path.join(folder, `.${job.id}.sound.wav`) : undefined
  const sinks: ReadonlyArray<AudioSink> = [
    ...audioNames
      .filter(wants)
      .map((name): AudioSink => ({ path: fileOf(name), format: formats[name], ...about(made) })),
    ...(passing === undefined ? [] : [{ path: passing, format: formats.wav, ...about(made) }])
  ]

  const programme = programmeOf(made)
  const target = targetOf(job.loudness)
  const outline = new PeakMeter(programme.rate, programme.channels, programme.length)
  const { gain, measured } = yield* Effect.scoped(
    Effect.gen(function* () {
      const { mix, gain } = yield* mixedTo(programme, target, path.join(folder, `.${job.id}.mix.part`))
      const { blocks, measured } = levelled(mix.blocks, programme, gain, target.peak)
      const outlined = Stream.tap(blocks, (block) => Effect.sync(() => outline.push(block)))
      yield* encode(made, programme, sinks, outlined)
      return { gain, measured: measured() }
    })
  )

  const texts = subtitleNames.filter(wants)
  for (const name of texts) yield* writeResult(fileOf(name), subtitles[name](entries))

  const sound = passing ?? fileOf("wav")
  for (const name of videos) yield* muxed(made, sound, fileOf(name))
  if (passing !== undefined) yield* Effect.ignore(fs.remove(passing))

  const stems = wants("stems")
    ? yield* deliverStems(made, programme, gain, target.peak, path.join(folder, "stems"))
    : []
  const clips = wants("clips") ? yield* deliverClips(made, programme, path.join(folder, "clips")) : []
  const files = [
    ...[...audioNames, ...texts, ...videos].filter(wants).map((name) => fileOf(name)),
    ...stems,
    ...clips
  ]
  return { files, measured, peaks: outline.peaks() }
})

const audioNames = ["wav", "flac", "mp3", "m4a", "opus"] as const
const videoNames = ["mp4", "mov", "mkv", "webm"] as const
const subtitleNames = ["srt", "vtt"] as const

const formats: Readonly<Record<(typeof audioNames)[number], AudioFormat>> = {
  wav: { format: "wav", depth: 16 },
  flac: { format: "flac", depth: 16 },
  mp3: { format: "mp3" },
  m4a: { format: "m4a" },
  opus: { format: "opus" }
}

const subtitles: Readonly<
  Record<(typeof subtitleNames)[number], (entries: ReadonlyArray<SubtitleEntry>) => string>
> = {
  srt,
  vtt
}

const about = ({ job, length }: Deliverable) => ({
  rate: deliveryRate,
  frames: length,
  tags: { title: job.id, ...(job.language === undefined ? {} : { language: job.language }) }
})

/** The mix at the highest rate of its clips; 24 kHz where there are none. */
const programmeOf = ({ job, placements, clips, length }: Deliverable): Programme => {
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
const encode = Effect.fnUntraced(function* <E, R>(
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

const muxed = Effect.fnUntraced(function* (
  { job, entries, out }: Deliverable,
  sound: string,
  target: string
) {
  const ffmpeg = yield* Ffmpeg
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  if (job.video === undefined) return
  const language = job.language === undefined ? {} : { language: job.language }
  const text = path.join(out, job.id, `.${job.id}.track.srt`)
  const spoken = entries.length > 0
  if (spoken) yield* writeResult(text, srt(entries))
  yield* ffmpeg
    .mux({
      video: job.video.path,
      out: target,
      tracks: [{ path: sound, isDefault: true, title: `Dub ${job.language ?? job.id}`, ...language }],
      original: job.original === "duck" ? { ...usualDuck, fade: millis(usualDuck.fade) } : job.original,
      subtitles: spoken ? [{ path: text, title: `Dub ${job.language ?? job.id}`, ...language }] : []
    })
    .pipe(Effect.ensuring(Effect.ignore(fs.remove(text, { force: true }))))
})

/** One WAV a speaker, each as long as the whole; lines without a speaker share one. */
const deliverStems = Effect.fnUntraced(function* (
  made: Deliverable,
  programme: Programme,
  gain: number,
  peak: number,
  folder: string
) {
  const path = yield* Path.Path
  yield* makeFolder(folder)
  const speakers = Object.entries(Array.groupBy(programme.placements, ({ speaker }) => speaker ?? "voice"))
  const names = distinctNames(speakers.map(([speaker]) => plainName(speaker)))
  return yield* Effect.forEach(
    speakers,
    Effect.fnUntraced(function* ([, placements], at) {
      const file = path.join(folder, `${names[at] ?? at}.wav`)
      const stem = { ...programme, placements }
      const { blocks } = levelled(mixOf(stem), stem, gain, peak)
      yield* encode(made, stem, [{ path: file, format: formats.wav, ...about(made) }], blocks)
      return file
    })
  )
})

/** One Broadcast Wave a placement, named by its cue, speaker and time, with its place on the timeline in it. */
const deliverClips = Effect.fnUntraced(function* (made: Deliverable, programme: Programme, folder: string) {
  const path = yield* Path.Path
  yield* makeFolder(folder)
  const at48 = { clips: programme.clips, rate: deliveryRate }
  return yield* Effect.forEach(
    made.placements,
    Effect.fnUntraced(function* (placement) {
      const start = framesAt(placement.start, deliveryRate)
      const samples = yield* speechOf(
        at48,
        placement,
        framesBetween(start, framesAt(placement.end, deliveryRate))
      )
      const file = path.join(folder, `${clipName(placement)}.wav`)
      yield* writeResult(
        file,
        encodeWav16({ rate: deliveryRate, samples }, { timeReference: start, originator: "dubwright" })
      )
      return file
    })
  )
})

/** `0001_ANNA_00-00-01-000`: the cue, its part where it has several, the speaker, and when it is heard. */
export const clipName = ({ lines: [line], speaker, start }: Placement): string => {
  const number = `${line.cue}`.padStart(4, "0")
  const part = line.part === 0 ? "" : `.${line.part + 1}`
  const clock = new Date(start % 86_400_000).toISOString().slice(14, 23).replaceAll(/[:.]/gu, "-")
  const hours = `${Math.floor(start / 3_600_000)}`.padStart(2, "0")
  return `${number}${part}_${plainName(speaker ?? "voice")}_${hours}-${clock}`
}

/** The names, with a number behind those that are taken already, also on disks that do not tell A from a. */
const distinctNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Map<string, number>()
  return names.map((name) => {
    const count = (taken.get(name.toLowerCase()) ?? 0) + 1
    taken.set(name.toLowerCase(), count)
    return count === 1 ? name : `${name}_${count}`
  })
}

/** A name that every file system takes. */
const plainName = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60) || "voice"
