/** A job's script and the words to speak: read, with its lexicon, cue sheet and film's end applied. */
import { Array, Effect, Either } from "effect"
import type { Script, ScriptRejected } from "../../domain/speech/Cue.ts"
import { frameRateOf } from "../../domain/time/FrameRate.ts"
import { millisAtMicros } from "../../domain/time/Units.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { cueSheetOf, withSheet } from "../../script/spoken/CueSheet.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import { cutAtFilmEnd, cutAtFilmStart } from "../../script/spoken/FilmEnd.ts"
import { lexiconOf } from "../../script/spoken/Lexicon.ts"
import { spokenWords } from "../../script/spoken/SpokenWords.ts"
import { endingOf } from "../../script/formats/UnreadFormats.ts"
import { readScript } from "../../script/ScriptFile.ts"
import { readInput, type ReadInput } from "../load/InputFile.ts"
import { type InputRejected, rejectInput, rejectInputs } from "../load/InputRejected.ts"
import type { Batch, Job } from "../load/Job.ts"
import type { SubtitleTiming } from "../sync/RetimedScript.ts"

/**
 * Reads a job's script and the words to speak, before voices are assigned. A script that counts frames without stating
 * their rate uses the film's.
 */
export const readWords = Effect.fn("JobScript.readWords")(function* (
  job: Job,
  batch: Batch,
  read: ReadInput = readInput,
  video?: MediaInfo
) {
  const { bytes } = yield* read(job.input, job.inputName)
  const picture = video?.picture
  const script = yield* readScript(bytes, job.inputName, {
    encoding: job.encoding,
    ending: job.film === undefined ? undefined : endingOf(job.input),
    start: job.start,
    filmStart: video?.timecode,
    frameRate: job.frameRate,
    ...(picture?.frameRate === undefined
      ? {}
      : { filmRate: frameRateOf(picture.frameRate, video?.timecode?.includes(";") ?? false) }),
    columns: job.columns,
    language: job.language
  }).pipe(Either.mapLeft(unreadScript))
  return { script, words: yield* wordsOf(job, script, batch, read) }
})

/** The words of a job's script, with its lexicon and its cue sheet applied. */
export const wordsOf = Effect.fnUntraced(function* (job: Job, script: Script, batch: Batch, read: ReadInput) {
  const { sheet, language } = job
  const lexicon = yield* Either.mapLeft(lexiconOf(job.lexicon), (faults) =>
    rejectInputs(
      batch.manifest,
      Array.map(faults, ({ entry, why }) => `job ${job.id}: lexicon[${entry}]: ${why}`)
    )
  )
  const words = spokenWords(script, job.text, lexicon, {
    speakers: [...Object.keys(job.speakers), ...(job.cast?.names ?? [])],
    pauses: job.pauses,
    ...(language === undefined ? {} : { language })
  })
  if (sheet === undefined) return words
  const { bytes } = yield* read(sheet.path, sheet.name)
  const rows = yield* Either.mapLeft(cueSheetOf(bytes, sheet.name), unreadScript)
  return { ...words, cues: withSheet(words.cues, rows) }
})

/**
 * The words of cues within the job's film, or after its start if the job names no film, and notices about the others.
 * `moved` has the cues whose times were changed.
 */
export const filmedOf = (
  { id, fit, inputName, onFailure, video: named }: Job,
  script: Script,
  all: Words,
  video: MediaInfo | undefined,
  moved: SubtitleTiming["moved"]
) =>
  Either.gen(function* () {
    const { words, notice } = yield* cutAtFilmStart(script, all, moved)
    if (video === undefined || named === undefined) return { words, notices: [notice] }
    const filmed = yield* cutAtFilmEnd(script, words, {
      name: named.name,
      length: millisAtMicros(video.duration),
      early: fit.early,
      silently: onFailure === "silence"
    })
    return { words: filmed.words, notices: [notice, filmed.notice] }
  }).pipe(Either.mapLeft((fault) => rejectInput(inputName, `job ${id}: ${fault}`)))

/** Returns a lookup of the script's text by cue number. */
export const textsOf = (script: Script): ((cue: number) => string | undefined) => {
  const texts = new Map(
    script._tag === "Subtitle"
      ? [...script.cues, ...script.lost].map(({ index, text }) => [index, text] as const)
      : script.blocks.map(({ text }, at) => [at + 1, text] as const)
  )
  return (cue) => texts.get(cue)
}

const unreadScript = ({ file, faults }: ScriptRejected): InputRejected =>
  rejectInputs(
    file,
    Array.map(faults, ({ line, found, expected }) => ({
      line,
      message: found === "" ? expected : `"${found}": ${expected}`
    }))
  )
