/** The utterances that each choice of language would send of a bilingual subtitle. */
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

/** What each choice would send; undefined where a job's subtitle is in one language, or its manifest has chosen. */
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
  const plan: BilingualPlan = {
    file,
    ...(yield* Effect.all({ first: sending("first"), second: sending("second"), all: sending("all") }))
  }
  return plan
})
