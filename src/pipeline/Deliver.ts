/** The last step of a job: its placements mixed and encoded once, then muxed, with subtitles, stems and clips as asked. */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Stream } from "effect"
import { PeakMeter } from "../audio/Peaks.ts"
import { type OutputName, timelineNames } from "../domain/Manifest.ts"
import type { SubtitleEntry } from "../domain/SubtitleEntry.ts"
import { millis } from "../domain/Units.ts"
import { srt } from "../exports/Srt.ts"
import { vtt } from "../exports/Vtt.ts"
import { usualDuck } from "../ffmpeg/Duck.ts"
import type { AudioFormat, AudioSink } from "../ffmpeg/Encode.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { about, type Deliverable, encode, programmeOf } from "./Deliverable.ts"
import { deliverClips, deliverStems, timelineOf, timelineTexts } from "./EditFiles.ts"
import { levelled, mixedTo, targetOf } from "./Levelling.ts"
import { openFolder, writeResult } from "./ResultFolder.ts"

/** Makes a job's files; returns their paths, in the order made, what the programme measures, and its outline. */
export const deliver = Effect.fn("Deliver.deliver")(function* (made: Deliverable) {
  const { job, out, entries } = made
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const folder = path.join(out, job.id)
  const fileOf = (ending: string) => path.join(folder, `${job.id}.${ending}`)
  yield* openFolder(folder)

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
  const timelines = timelineNames.filter(wants)
  // A timeline is nothing without the clips that it lays out.
  const clips =
    wants("clips") || timelines.length > 0
      ? yield* deliverClips(made, programme, gain, target.peak, path.join(folder, "clips"))
      : []
  const laidOut = yield* Effect.forEach(timelines, (name) => {
    const { ending, text } = timelineTexts[name]
    return Effect.as(writeResult(fileOf(ending), text(timelineOf(made))), fileOf(ending))
  })
  const files = [
    ...[...audioNames, ...texts, ...videos].filter(wants).map((name) => fileOf(name)),
    ...laidOut,
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
