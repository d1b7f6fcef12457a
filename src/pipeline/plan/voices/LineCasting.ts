/** Gives a job's lines their voices: those of its cast, its speakers, the job itself and inline directives. */
import { Array, Either } from "effect"
import type { UtteranceUse } from "../../../domain/speech/Utterance.ts"
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

/** Casts a job's lines. Left: a line without a voice. */
export const castLines = (
  job: Job,
  words: Words,
  { profileOf }: Batch,
  pools: PoolCast
): Either.Either<CastLines, InputRejected> => {
  const cast = applyCast(job, words, pools)
  return assignVoices(words.cues, (speaker, overrides) =>
    castingOf(cast.job, speaker, overrides, profileOf)
  ).pipe(
    Either.mapBoth({
      onLeft: (uncast) => rejectInput(job.inputName, `job ${job.id}: ${uncast.message}`),
      onRight: (lines) => ({ ...cast, lines })
    })
  )
}

/** Checks the controls of the utterances that were not sent before. Left: those that a provider does not accept. */
export const checkControls = (
  { id }: Job,
  uses: ReadonlyArray<UtteranceUse>,
  { profileOf, manifest, stated }: Batch
): Either.Either<void, InputRejected> => {
  const unsent = uses.filter(({ utterance }) => stated?.cuts?.isSent(utterance.key) !== true)
  const faults = Array.dedupe(unsent.map(({ utterance }) => utterance.casting))
    .flatMap((casting) => controlFaults(casting, profileOf(casting.provider)))
    .map((fault) => InputFault.make({ file: manifest, message: `job ${id}: ${fault}` }))
  return Array.isNonEmptyArray(faults) ? Either.left(InputRejected.make({ faults })) : Either.void
}
