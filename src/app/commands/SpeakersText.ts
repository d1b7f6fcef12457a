/** Voice maps to fill in: every speaker of every job, with the voice that is given already or would be offered. */
import { Effect } from "effect"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import { readWords } from "../../pipeline/plan/BatchPlan.ts"
import { castingOf } from "../../pipeline/plan/VoiceCasting.ts"
import { type SpeakerCues, speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { countOf } from "../terminal/ProgressText.ts"
import { embeddedVoice } from "../batch/EmbeddedVoice.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"

/** A fragment of YAML for each job. */
export const speakersText = Effect.fn("SpeakersText.of")(function* (batch: Batch) {
  const fragments = yield* Effect.forEach(batch.jobs, (job) =>
    Effect.map(readWords(job, batch), ({ words }) => fragmentOf(job, batch, speakersOf(words.cues)))
  )
  return fragments.join("\n\n")
})

const fragmentOf = (job: Job, batch: Batch, speakers: ReadonlyArray<SpeakerCues>): string => {
  const named = speakers.flatMap(({ speaker, cues }) => (speaker === undefined ? [] : [{ speaker, cues }]))
  const unnamed = speakers.find(({ speaker }) => speaker === undefined)
  const entries = named.map(({ speaker, cues }, position) => ({
    cues,
    text: `  ${yamlScalar(speaker)}: ${voiceText(job, batch, speaker, position)}`
  }))
  const wide = Math.max(0, ...entries.map(({ text }) => text.length))
  return [
    `# job ${job.id}, ${job.inputName}`,
    named.length === 0 ? "# nobody is named: the job's own voice speaks all of it" : "speakers:",
    ...entries.map(({ text, cues }) => `${text.padEnd(wide)}  # ${countOf(cues, "cue")}`),
    ...(unnamed === undefined || named.length === 0
      ? []
      : [`  # ${countOf(unnamed.cues, "cue")} without a speaker: the job's own voice`])
  ].join("\n")
}

const voiceText = (job: Job, batch: Batch, speaker: SpeakerName, position: number): string => {
  const cast = castingOf(job, speaker, {}, batch.profileOf)
  const offered =
    cast._tag === "Right"
      ? cast.right
      : batch.service === "embedded"
        ? embeddedVoice(job.language, position)
        : undefined
  return offered === undefined
    ? "{ voice: }"
    : `{ provider: ${yamlScalar(offered.provider)}, voice: ${yamlScalar(offered.voice)} }`
}
