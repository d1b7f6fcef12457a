/** `plan --speakers`: every speaker of every job and the voice they have or could have, to print or for the cast. */
import { Path } from "@effect/platform"
import { Array, Effect } from "effect"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import { SpeechService } from "../../library/layers/SpeechService.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import { addToCast, type CastAddition } from "../../pipeline/load/cast/CastDraft.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import type { LocalVoices } from "../../pipeline/plan/SpeechAccess.ts"
import { readWords } from "../../pipeline/plan/JobScript.ts"
import { applyCast } from "../../pipeline/plan/voices/CastPool.ts"
import { castingOf } from "../../pipeline/plan/voices/VoiceCasting.ts"
import { type SpeakerCues, speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"

/** Returns a YAML fragment per job. */
export const speakersText = Effect.fn("SpeakersText.speakersText")(function* (batch: Batch) {
  const { local } = yield* SpeechService
  const fragments = yield* Effect.forEach(batch.jobs, (job) =>
    Effect.map(readWords(job, batch), ({ words }) => fragmentOf(job, batch, speakersOf(words.cues), local))
  )
  return fragments.join("\n\n")
})

/**
 * Adds every speaker that the cast lacks in a job's language, with the voice that the job's lines would have. Returns a
 * sentence about the additions.
 */
export const completeCast = Effect.fn("SpeakersText.completeCast")(function* (batch: Batch, file: string) {
  const path = yield* Path.Path
  const { local } = yield* SpeechService
  const found = yield* Effect.forEach(batch.jobs, (job) =>
    Effect.map(readWords(job, batch), ({ words }) => additionsOf(job, batch, words, local))
  )
  const additions = Array.dedupeWith(
    found.flat(),
    (one, other) => one.speaker === other.speaker && one.language === other.language
  )
  yield* addToCast(file, additions)
  const name = path.relative("", file)
  const speakers = Array.dedupe(additions.map(({ speaker }) => speaker)).length
  return additions.length === 0
    ? `${name} has a voice for every speaker`
    : `wrote ${name}: added ${formatCount(additions.length, "voice")} of ${formatCount(speakers, "speaker")}`
})

const additionsOf = (
  job: Job,
  batch: Batch,
  words: Words,
  local: LocalVoices
): ReadonlyArray<CastAddition> => {
  const { job: cast } = applyCast(job, words)
  return speakersOf(words.cues).flatMap(({ speaker }, position): ReadonlyArray<CastAddition> => {
    if (speaker === undefined || job.cast?.speakers[speaker] !== undefined) return []
    const offered =
      cast.speakers[speaker]?.voice === undefined && hasBundledVoice(job, batch, local)
        ? local.voiceFor(job.language, position)
        : offeredVoice(cast, batch, speaker, position, local)
    const own = offered?.provider === job.voice.provider ? offered?.voice : offered
    return [
      {
        speaker,
        language: job.language ?? "*",
        voice:
          own === undefined
            ? {}
            : typeof own === "string"
              ? own
              : { provider: own.provider, voice: own.voice }
      }
    ]
  })
}

/** Whether a job's own voice is the bundled service's default one, so that each speaker may get another. */
const hasBundledVoice = ({ voice, language }: Job, { service }: Batch, local: LocalVoices): boolean =>
  service === "embedded" && voice.voice === local.voiceFor(language).voice

const fragmentOf = (
  job: Job,
  batch: Batch,
  speakers: ReadonlyArray<SpeakerCues>,
  local: LocalVoices
): string => {
  const named = speakers.flatMap(({ speaker, cues }) => (speaker === undefined ? [] : [{ speaker, cues }]))
  const unnamed = speakers.find(({ speaker }) => speaker === undefined)
  const entries = named.map(({ speaker, cues }, position) => ({
    cues,
    text: `  ${yamlScalar(speaker)}: ${voiceText(job, batch, speaker, position, local)}`
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

const voiceText = (
  job: Job,
  batch: Batch,
  speaker: SpeakerName,
  position: number,
  local: LocalVoices
): string => {
  const offered = offeredVoice(job, batch, speaker, position, local)
  return offered === undefined
    ? "{ voice: }"
    : `{ provider: ${yamlScalar(offered.provider)}, voice: ${yamlScalar(offered.voice)} }`
}

/** The voice that a speaker has, or a voice of the bundled service; undefined if there is none. */
const offeredVoice = (job: Job, batch: Batch, speaker: SpeakerName, position: number, local: LocalVoices) => {
  const cast = castingOf(job, speaker, {}, batch.profileOf)
  return cast._tag === "Right"
    ? cast.right
    : batch.service === "embedded"
      ? local.voiceFor(job.language, position)
      : undefined
}
