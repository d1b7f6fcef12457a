/** Plans a bilingual subtitle's utterances for each choice of language: the first, the second or both. */
import { Effect } from "effect"
import type { Script } from "../../domain/speech/Cue.ts"
import type { BilingualChoice } from "../../domain/manifest/ScriptSettings.ts"
import type { Utterance, UtteranceUse } from "../../domain/speech/Utterance.ts"
import { type BilingualFile, bilingualFileOf } from "../../script/language/BilingualDetection.ts"
import { isShown } from "../../script/markup/StyleFilter.ts"
import type { Job } from "../load/Job.ts"

/** A bilingual subtitle with the utterances of each choice. */
export interface BilingualPlan extends Readonly<Record<BilingualChoice, ReadonlyArray<Utterance>>> {
  readonly file: BilingualFile
}

/** Returns the utterances of each choice; undefined if the subtitle has one language, or the manifest chooses. */
export const choicesOf = Effect.fnUntraced(function* <E, R>(
  job: Job,
  script: Script,
  spoken: (job: Job) => Effect.Effect<ReadonlyArray<UtteranceUse>, E, R>
) {
  if (script._tag === "Narration" || job.text.bilingual !== undefined) return undefined
  const file = bilingualFileOf(script.cues.filter((cue) => isShown(cue, job.text.styles)))
  if (file === undefined) return undefined
  const sending = (bilingual: BilingualChoice) =>
    Effect.map(spoken({ ...job, text: { ...job.text, bilingual } }), (uses) =>
      uses.map(({ utterance }) => utterance)
    )
  return {
    file,
    ...(yield* Effect.all({ first: sending("first"), second: sending("second"), all: sending("all") }))
  } satisfies BilingualPlan
})
