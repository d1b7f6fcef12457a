/** Gives a job's lines their voices: those of its cast, its speakers, the job itself and inline directives. */
import { Array, Either } from "effect"
import type { Line } from "../../../domain/speech/Line.ts"
import type { Words } from "../../../script/spoken/CueWords.ts"
import { assignVoices } from "../../../script/spoken/VoiceAssignment.ts"
import { InputFault, InputRejected, rejectInput } from "../../load/InputRejected.ts"
import type { Batch, Job } from "../../load/Job.ts"
import { applyCast, type CastJob, type PoolCast } from "./CastPool.ts"
import { castingOf, controlFaults } from "./VoiceCasting.ts"

/** A job whose lines have their voices. */
export interface CastLines extends CastJob {
  readonly lines: ReadonlyArray<Line>
}

/** Casts a job's lines. Left: a line without a voice, or controls that a provider does not accept. */
export const castLines = (
  job: Job,
  words: Words,
  { profileOf, manifest }: Batch,
  pools: PoolCast
): Either.Either<CastLines, InputRejected> => {
  const cast = applyCast(job, words, pools)
  return assignVoices(words.cues, (speaker, overrides) =>
    castingOf(cast.job, speaker, overrides, profileOf)
  ).pipe(
    Either.mapLeft((uncast) => rejectInput(job.inputName, `job ${job.id}: ${uncast.message}`)),
    Either.flatMap((lines) => {
      const castings = Array.dedupe(lines.map(({ casting }) => casting))
      const faults = castings
        .flatMap((casting) => controlFaults(casting, profileOf(casting.provider)))
        .map((fault) => InputFault.make({ file: manifest, message: `job ${job.id}: ${fault}` }))
      return Array.isNonEmptyArray(faults)
        ? Either.left(InputRejected.make({ faults }))
        : Either.right({ ...cast, lines })
    })
  )
}
