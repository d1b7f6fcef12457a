/** Converts a task's audio to OpenAI's formats. Each result is a file that is kept with the task's others. */
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, RcMap } from "effect"
import { InternalError } from "../../contract/Errors.ts"
import type { SpeechFormat } from "../../contract/OpenAi.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { saysDiskFull } from "../../ffmpeg/process/FfmpegErrors.ts"
import { runJob } from "../../ffmpeg/process/JobRunner.ts"
import { GivesWay } from "../../system/BackgroundPriority.ts"
import { FilesUnwritable } from "../storage/FileStore.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { diskFull } from "../tasks/TaskAdmission.ts"
import { TaskStore } from "../tasks/TaskStore.ts"

/** Encoder options. PCM is 24 kHz, 16-bit, mono, little-endian, without a header. */
const encoders: Readonly<Record<SpeechFormat, ReadonlyArray<string>>> = {
  mp3: ["-c:a", "libmp3lame", "-b:a", "96k", "-f", "mp3"],
  opus: ["-c:a", "libopus", "-b:a", "48k", "-f", "ogg"],
  aac: ["-c:a", "aac", "-b:a", "96k", "-f", "adts"],
  flac: ["-c:a", "flac", "-f", "flac"],
  wav: ["-c:a", "pcm_s16le", "-f", "wav"],
  pcm: ["-c:a", "pcm_s16le", "-ar", "24000", "-f", "s16le"]
}

/** Builds ffmpeg's tempo filters; each takes 0.5 to 2. */
const tempo = (speed: number): ReadonlyArray<string> =>
  speed === 1
    ? []
    : [
        "-filter:a",
        speed < 0.5 || speed > 2 ? `atempo=${Math.sqrt(speed)},atempo=${Math.sqrt(speed)}` : `atempo=${speed}`
      ]

/** The audio to convert, and the result. */
interface Conversion {
  readonly account: number
  readonly taskId: string
  /** The audio's own format, and its length. */
  readonly from: "mp3" | "wav"
  readonly seconds: number
  readonly to: SpeechFormat
  /** Factor on the tempo, 0.25 to 4. */
  readonly speed: number
}

/** Conversions at once. Each account has one of them at a time. */
const atOnce = 2

/** Makes the conversion: it opens a task's audio in the wanted format. None if the task is deleted. */
export const makeConversion = Effect.gen(function* () {
  const files = yield* TaskFiles
  const store = yield* TaskStore
  const { binary } = yield* Ffmpeg
  const all = yield* Effect.makeSemaphore(atOnce)
  const turns = yield* RcMap.make({ lookup: (_account: number) => Effect.makeSemaphore(1) })

  const convert = (ending: string, { taskId, from, seconds, to, speed }: Conversion) =>
    Effect.gen(function* () {
      const source = yield* files.local(taskId, from)
      const workshop = yield* files.workshop(taskId)
      const target = join(workshop, `${taskId}.${ending}`)
      const options = ["-map_metadata", "-1", "-fflags", "+bitexact", ...tempo(speed), "-ac", "1"]
      yield* runJob(binary, {
        purpose: `convert the audio of task ${taskId}`,
        inputs: [{ source, options: [] }],
        filters: [],
        outputs: [{ target, options: [...options, ...encoders[to]] }],
        encodes: 1,
        seconds
      }).pipe(
        Effect.mapError(
          ({ message, stderrTail }) =>
            new FilesUnwritable({ detail: message, full: saysDiskFull(stderrTail) })
        )
      )
      yield* store.grow(taskId, (yield* Effect.promise(() => stat(target))).size)
      yield* files.add(workshop, taskId)
    }).pipe(Effect.scoped, Effect.provideService(GivesWay, true))

  return Effect.fnUntraced(function* (wanted: Conversion) {
    const { account, taskId, from, to, speed } = wanted
    if (from === to && speed === 1) return yield* files.open(taskId, from)
    const ending = `${speed}.${to}`
    const kept = files.open(taskId, ending)
    const before = yield* kept
    if (Option.isSome(before)) return before
    const turn = yield* RcMap.get(turns, account)
    yield* Effect.gen(function* () {
      // Its owner may have deleted it, or another request have converted it meanwhile.
      const isWanted = Option.isSome(yield* files.open(taskId, from)) && Option.isNone(yield* kept)
      if (isWanted) yield* all.withPermits(1)(convert(ending, wanted))
    }).pipe(
      Effect.scoped,
      turn.withPermits(1),
      Effect.catchTag("FilesUnwritable", ({ detail, full }) =>
        Effect.zipRight(
          Effect.logWarning("cannot convert speech", detail),
          Effect.fail(full ? diskFull : notConverted)
        )
      )
    )
    return yield* kept
  })
})

const notConverted = new InternalError({ code: "internal", message: "the speech could not be converted" })
