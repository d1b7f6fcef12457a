/** `plan --speakers`: a voice map to fill in, with every speaker of every job and the voice they have or could have. */
import { Effect } from "effect"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import { readWords } from "../../pipeline/plan/BatchPlan.ts"
import { castingOf } from "../../pipeline/plan/VoiceCasting.ts"
import { type SpeakerCues, speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { embeddedVoice } from "../../service/config/EmbeddedVoice.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"

/** Returns a YAML fragment per job. */
export const speakersText = Effect.fn("SpeakersText.speakersText")(function* (batch: Batch) {
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
    named.length === 0 ? "# no speakers named; the job's voice speaks every cue" : "speakers:",
    ...entries.map(({ text, cues }) => `${text.padEnd(wide)}  # ${formatCount(cues, "cue")}`),
    ...(unnamed === undefined || named.length === 0
      ? []
      : [`  # ${formatCount(unnamed.cues, "cue")} without a speaker: the job's voice`])
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
