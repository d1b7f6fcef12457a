/**
 * Writes a job's files: mixes and encodes its placements once, then muxes videos and writes subtitles, stems, clips and
 * timelines.
 */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect } from "effect"
import {
  outputEnding,
  soundNames,
  subtitleNames,
  timelineNames,
  videoNames,
  type OutputName
} from "../../domain/manifest/Outputs.ts"
import { deliveryRate } from "../../domain/time/Units.ts"
import { unheard } from "../../domain/report/Report.ts"
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import {
  cueSheetPage,
  cueSheetColumns,
  cueSheetRows,
  type CueSheetColumn
} from "../../exports/scripts/AdrSheet.ts"
import { imscText, type SubtitleNote } from "../../exports/scripts/ImscText.ts"
import { srt, vtt } from "../../exports/text/Subtitles.ts"
import { framesWritten, rateOf, type AudioSink, type PcmFeed } from "../../ffmpeg/encode/EncodeJob.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import {
  tagsFor,
  codingsOf,
  formatOf,
  programmeOf,
  trackTitle,
  videoSound,
  type OutputPlan
} from "./OutputPlan.ts"
import { deliverClips } from "./ClipFiles.ts"
import { stemsOf, timelineOf, timelineTexts } from "./EditorExports.ts"
import { targetOf } from "../mix/LoudnessGoal.ts"
import { backgroundError, loudnessError } from "../mix/LoudnessNormalization.ts"
import { encodeMix, type Level, type Stem } from "./MixEncoding.ts"
import { keepLevel, rememberedLevel } from "./LevelMemory.ts"
import { feedOf, type Programme } from "../mix/MixLines.ts"
import { emit, warn } from "../Progress.ts"
import { openFolder, writeResult } from "../report/ResultFolder.ts"
import type { Timeline } from "../../domain/speech/Timeline.ts"

/** Writes a job's files. Returns their paths in order of creation, the mix's measurements and its waveform peaks. */
export const writeOutputs = Effect.fn("OutputWriter.writeOutputs")(function* (made: OutputPlan) {
  const { job, out } = made
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const folder = path.join(out, job.id)
  const fileOf = (ending: string, part = 0) =>
    path.join(folder, `${job.id}${part === 0 ? "" : `-${part + 1}`}.${ending}`)
  yield* openFolder(folder)

  const wants = (output: OutputName) => job.outputs.includes(output)
  const videos = videoNames.filter(wants)
  // A video needs its sound as a file. If the job delivers none that fits, a temporary one is made.
  const soundFor = (video: (typeof videos)[number]) => {
    const { name, isOwn, format } = videoSound(made, video)
    return { format, isOwn, path: isOwn ? fileOf(name) : path.join(folder, `.${job.id}.sound.${name}`) }
  }
  const passing = Array.dedupeWith(
    videos.map(soundFor).filter(({ isOwn }) => !isOwn),
    (one, other) => one.path === other.path
  )
  const about = tagsFor(made)
  const sinks: ReadonlyArray<AudioSink> = [
    ...soundNames
      .filter(wants)
      .map((name): AudioSink => ({ path: fileOf(name), format: formatOf(made, name), ...about })),
    ...passing.map(({ path, format }): AudioSink => ({
      path,
      format,
      ...about,
      // A video's sound always has this rate.
      ...(format.format === "m4a" ? { rate: deliveryRate, frames: made.length } : {})
    }))
  ]

  const programme = programmeOf(made)
  const stemFolder = path.join(folder, "stems")
  const stems = wants("stems") ? stemsOf(made, (name) => path.join(stemFolder, `${name}.wav`)) : []
  if (stems.length > 0) yield* openFolder(stemFolder)
  const timelines = timelineNames.filter(wants)
  // A timeline is useless without its clips.
  const inPieces = wants("clips") || timelines.length > 0
  const texts = subtitleNames.filter(wants)
  const { measured, peaks, level } = yield* Effect.gen(function* () {
    const heard =
      sinks.length > 0 || stems.length > 0 || inPieces
        ? yield* mastered(made, programme, sinks, stems)
        : noSound
    if (texts.length > 0) {
      const entries = made.entries()
      const note = { title: job.tags.title ?? job.id, language: job.language }
      for (const name of texts) yield* writeResult(fileOf(name), subtitles[name](entries, note))
    }
    for (const name of videos) {
      yield* emit({ _tag: "Muxing", file: `${job.id}.${name}` })
      yield* muxed(made, soundFor(name).path, fileOf(name))
    }
    return heard
  }).pipe(
    Effect.ensuring(Effect.forEach(passing, ({ path }) => Effect.ignore(fs.remove(path, { force: true }))))
  )

  const clips = inPieces ? yield* deliverClips(made, programme, level, path.join(folder, "clips")) : []
  const film =
    (made.stretches?.length ?? 0) > 0
      ? `${job.id}.${videos[0]}`
      : job.video === undefined
        ? undefined
        : pathFrom(path, folder, job.video.path)
  const timeline =
    timelines.length > 0 || wants("adr")
      ? timelineOf(made, film, (file) => pathFrom(path, folder, file))
      : undefined
  const laidOut = yield* Effect.forEach(
    timelines.flatMap((name) => {
      const texts = timeline === undefined ? [] : timelineTexts[name](timeline)
      return texts.map((text, part) => ({ text, file: fileOf(outputEnding(name), part) }))
    }),
    ({ text, file }) => Effect.as(writeResult(file, text), file)
  )
  const sheets = wants("adr") ? [fileOf("adr.xlsx"), fileOf("adr.html")] : []
  if (timeline !== undefined)
    for (const file of sheets)
      yield* writeResult(
        file,
        file.endsWith("html") ? cueSheetPage(timeline) : yield* cueSheetWorkbook(timeline)
      )
  const files = [
    ...[...soundNames, ...texts, ...videos].filter(wants).map((name) => fileOf(name)),
    ...laidOut,
    ...sheets,
    ...stems.map(({ sink }) => sink.path),
    ...clips
  ]
  return { files, measured, peaks }
})

/** Relative path with forward slashes; absolute between Windows drives, where no relative path exists. */
const pathFrom = (path: Path.Path, folder: string, file: string): string =>
  path.relative(folder, file).split(path.sep).join("/")

/** The result if no audio is requested: nothing is mixed. */
const noSound = { measured: unheard, peaks: [], level: { gain: 1, peak: 0 } } as const

/**
 * Renders the job's audio at its target loudness; renders it again if the excerpt that set the gain was not
 * representative. Compressed files are encoded from the job's WAV file, if it has one that suits them.
 */
const mastered = Effect.fnUntraced(function* (
  { job, chapters, out }: OutputPlan,
  programme: Programme,
  sinks: ReadonlyArray<AudioSink>,
  stems: ReadonlyArray<Stem>
) {
  const feed = feedOf(programme)
  const { channels } = feed
  const wav = sinks.find(({ format }) => format.format === "wav")
  const [rendered, encoded] = Array.partition(sinks, (sink) => wav !== undefined && isIn(feed, wav, sink))
  const target = targetOf(job.loudness, codingsOf(job, channels), {
    channels,
    hasBackground: programme.background !== undefined,
    profile: job.delivery?.profile
  })
  const madeWith = (gain: number) => {
    const level: Level = { gain, peak: target.peak }
    const made = encodeMix(job.id, programme, level, { sinks: rendered, chapters }, stems, out)
    return Effect.map(made, (heard) => ({ ...heard, level }))
  }
  const { gain, again } = yield* rememberedLevel(programme, target, out, job.id)
  const made = yield* madeWith(gain)
  const better = again(made.measured)
  const result = better === undefined ? made : yield* madeWith(better)
  yield* keepLevel(out, job.id, result.level)
  if (wav !== undefined && encoded.length > 0) {
    const samples = { rate: rateOf(wav), channels, frames: framesWritten(feed, wav) }
    yield* (yield* Ffmpeg).encodeFile(wav.path, { feed: samples, sinks: encoded, chapters })
  }
  const missed =
    loudnessError(target, result.measured) ??
    (programme.background === undefined ? undefined : backgroundError(target, result.measured))
  if (missed !== undefined) yield* warn(`${job.id}: ${missed}`)
  return result
})

/** Whether a WAV file has all of another file's sound: of FLAC the same samples, of lossy files the same band. */
const isIn = (feed: PcmFeed, wav: AudioSink, sink: AudioSink): boolean => {
  const [one, other] = [wav.format, sink.format]
  if (one.format !== "wav" || other.format === "wav") return false
  const isWide = rateOf(wav) >= Math.min(rateOf(sink), feed.rate)
  return other.format === "flac" ? one.depth === other.depth : isWide
}

const subtitles: Readonly<
  Record<
    (typeof subtitleNames)[number],
    (entries: ReadonlyArray<SubtitleEntry>, note: SubtitleNote) => string
  >
> = {
  srt,
  vtt,
  ttml: imscText
}

const muxed = Effect.fnUntraced(function* (
  { job, entries: entriesOf, placements, out, stretches = [] }: OutputPlan,
  sound: string,
  target: string
) {
  const ffmpeg = yield* Ffmpeg
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  if (job.video === undefined) return
  const language = job.language === undefined ? {} : { language: job.language }
  const text = path.join(out, job.id, `.${job.id}.track.srt`)
  const entries = entriesOf()
  const spoken = entries.length > 0
  if (spoken) yield* writeResult(text, srt(entries))
  yield* ffmpeg
    .mux({
      video: job.video.path,
      out: target,
      tracks: [{ path: sound, isDefault: true, title: trackTitle(job), spoken: placements, ...language }],
      original: job.original === "duck" ? job.duck : job.original,
      isMarked: job.markSynthetic,
      stretches,
      subtitles: spoken ? [{ path: text, title: trackTitle(job), ...language }] : []
    })
    .pipe(Effect.ensuring(Effect.ignore(fs.remove(text, { force: true }))))
})

/** Widths of the columns in characters. */
const widths: Readonly<Record<CueSheetColumn, number>> = {
  cue: 7,
  in: 13,
  out: 13,
  seconds: 9,
  character: 18,
  line: 70,
  notes: 24,
  takes: 14,
  done: 8
}

/** Encodes the cue sheet as a workbook for print. Text is never a formula; numbers are numbers. */
const cueSheetWorkbook = (timeline: Timeline) =>
  Effect.promise(async () => {
    const { default: writeWorkbook } = await import("write-excel-file/node")
    const header = cueSheetColumns.map((value) => ({
      value,
      type: String,
      fontWeight: "bold" as const,
      backgroundColor: "#eeeeee" as const
    }))
    const rows = cueSheetRows(timeline).map((row) =>
      cueSheetColumns.map((column) =>
        column === "cue" || column === "seconds"
          ? { value: Number(row[column]), type: Number, ...(column === "cue" ? {} : { format: "0.00" }) }
          : { value: row[column], type: String, format: "@", wrap: true, alignVertical: "top" as const }
      )
    )
    return await writeWorkbook([header, ...rows], {
      sheet: "ADR",
      columns: cueSheetColumns.map((column) => ({ width: widths[column] })),
      stickyRowsCount: 1,
      orientation: "landscape"
    }).toBuffer()
  })
