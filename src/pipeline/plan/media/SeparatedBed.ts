/**
 * Makes a job's background from its film's own sound, with a program that removes the speech. The result is kept in the
 * state folder, by the film's digest and the command.
 */
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Either } from "effect"
import { deliveryRate } from "../../../domain/time/Units.ts"
import { programFailed } from "../../../engines/helpers/HelperProgram.ts"
import { filledArgument, runProgram } from "../../../engines/program/ChildProgram.ts"
import { programEnvironment } from "../../../engines/program/CommandEngine.ts"
import { wavFileInfo } from "../../../ffmpeg/decode/WavFile.ts"
import type { MediaInfo } from "../../../ffmpeg/probe/MediaInfo.ts"
import { digestOfFilm } from "../../../store/files/FilmDigest.ts"
import { rejectInput } from "../../load/InputRejected.ts"
import type { Job } from "../../load/Job.ts"
import { lengthFault, readBackground } from "./JobBackground.ts"

/** Raise this when the same film and command would give another file. */
const edition = 1

/** Programs that separate sound use all cores or the graphics card. */
const turn = Effect.unsafeMakeSemaphore(1)

/** Maximum bytes of a program's output. */
const maxOutput = 16 * 1024 * 1024

/** The background of a job with `separate`; undefined for others. Runs the program unless an intact one is kept. */
export const separatedBed = Effect.fn("SeparatedBed.separatedBed")(function* (
  job: Job,
  info: MediaInfo | undefined
) {
  const { separate, video } = job
  if (separate === undefined || video === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const { command, gain, duck, kept, folder, timeout } = separate
  const [program, ...args] = command
  const reject = (problem: string) => rejectInput(video.name, `job ${job.id}: separate: ${problem}`)
  const trackIn = Effect.fnUntraced(function* (path: string) {
    const bed = { path, name: video.name, gain, ...(duck === undefined ? {} : { duck }) }
    const track = yield* readBackground(job, bed, "separate")
    const fault = track === undefined || info === undefined ? undefined : lengthFault(track, info, video.name)
    return fault === undefined ? track : yield* reject(fault)
  })
  const make = Effect.fnUntraced(function* (target: string) {
    yield* fs.makeDirectory(kept, { recursive: true })
    const scratch = yield* fs.makeTempDirectoryScoped({ directory: kept, prefix: "part-" })
    const bed = join(scratch, "bed.wav")
    yield* runProgram({
      file: program,
      args: args.map((arg) => filledArgument(arg, { film: video.path, bed })),
      env: yield* programEnvironment,
      cwd: folder,
      stdin: "",
      maxBytes: maxOutput,
      timeout: `${timeout} seconds`
    }).pipe(Effect.mapError((failed) => reject(programFailed("separate", program, failed).detail)))
    if (!(yield* fs.exists(bed)))
      return yield* reject(`${program}: wrote no file; have it write a WAV file to {bed}`)
    // A file that cannot be used is not kept.
    yield* trackIn(bed)
    yield* fs.rename(bed, target)
  }, Effect.scoped)
  const digest = yield* Effect.tryPromise({
    try: () => digestOfFilm(video.path, edition, command, job.audio.rate ?? deliveryRate),
    catch: (cause) => reject(cause instanceof Error ? cause.message : String(cause))
  })
  const file = join(kept, `${digest}.wav`)
  const isUsable = Effect.orElseSucceed(
    Effect.map(
      Effect.tryPromise(() => wavFileInfo(file)),
      (found) =>
        Either.isRight(found) &&
        (info === undefined || lengthFault(found.right, info, video.name) === undefined)
    ),
    () => false
  )
  const keptOrMade = Effect.flatMap(isUsable, (usable) => (usable ? Effect.void : make(file)))
  yield* turn
    .withPermits(1)(keptOrMade)
    .pipe(
      Effect.catchTags({
        SystemError: ({ message }) => reject(message),
        BadArgument: ({ message }) => reject(message)
      })
    )
  return yield* trackIn(file)
})
