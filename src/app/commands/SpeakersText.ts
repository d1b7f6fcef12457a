/** `plan --speakers`: every speaker of every job and the voice they have or could have, to print or for the cast. */
import { Path } from "@effect/platform"
import { Array, Either, Effect } from "effect"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import type { Batch, Job } from "../../pipeline/load/Job.ts"
import { addToCast, type CastAddition } from "../../pipeline/load/cast/CastDraft.ts"
import { readWords } from "../../pipeline/plan/JobScript.ts"
import { applyCast, castFromPools } from "../../pipeline/plan/voices/CastPool.ts"
import { castingOf } from "../../pipeline/plan/voices/VoiceCasting.ts"
import { type SpeakerCues, speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"

/** Returns a YAML fragment per job, under what was guessed about its speakers. */
export const speakersText = Effect.fn("SpeakersText.speakersText")(function* (batch: Batch) {
  const { remarks, jobs } = yield* castJobs(batch)
  return [...remarks.map((remark) => `# ${remark}`), ...jobs.map((job) => fragmentOf(job, batch))].join(
    "\n\n"
  )
})

/**
 * Adds every speaker that the cast lacks in a job's language, with the voice that the job's lines would have. Returns
 * sentences about the guesses and the additions.
 */
export const completeCast = Effect.fn("SpeakersText.completeCast")(function* (batch: Batch, file: string) {
  const path = yield* Path.Path
  const { remarks, jobs } = yield* castJobs(batch)
  const additions = Array.dedupeWith(
    jobs.flatMap((job) => additionsOf(job, batch)),
    (one, other) => one.speaker === other.speaker && one.language === other.language
  )
  yield* addToCast(file, additions)
  const name = path.relative("", file)
  const speakers = Array.dedupe(additions.map(({ speaker }) => speaker)).length
  const said =
    additions.length === 0
      ? `${name} has a voice for every speaker`
      : `wrote ${name}: added ${formatCount(additions.length, "voice")} of ${formatCount(speakers, "speaker")}`
  return [...remarks, said].join("\n")
})

/** A job with its cast applied, and its speakers. */
interface SpeakerList {
  readonly loaded: Job
  readonly job: Job
  readonly speakers: ReadonlyArray<SpeakerCues>
}

const castJobs = Effect.fnUntraced(function* (batch: Batch) {
  const read = yield* Effect.forEach(batch.jobs, (job) =>
    Effect.map(readWords(job, batch), ({ words }) => ({ job, words }))
  )
  const pools = yield* castFromPools(read, batch)
  const jobs = read.map(({ job, words }): SpeakerList => ({
    loaded: job,
    job: applyCast(job, words, pools).job,
    speakers: speakersOf(words.cues)
  }))
  return { remarks: pools.remarks, jobs }
})

const additionsOf = ({ loaded, job, speakers }: SpeakerList, batch: Batch): ReadonlyArray<CastAddition> =>
  speakers.flatMap(({ speaker }): ReadonlyArray<CastAddition> => {
    if (speaker === undefined || loaded.cast?.speakers[speaker] !== undefined) return []
    const casting = voiceOf(job, batch, speaker)
    const own = casting?.provider === job.voice.provider ? casting?.voice : casting
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

/** The voice that a speaker has; undefined if there is none. */
const voiceOf = (job: Job, { profileOf }: Batch, speaker: SpeakerName) =>
  Either.getOrUndefined(castingOf(job, speaker, {}, profileOf))

const fragmentOf = ({ job, speakers }: SpeakerList, batch: Batch): string => {
  const named = speakers.flatMap(({ speaker, cues }) => (speaker === undefined ? [] : [{ speaker, cues }]))
  const unnamed = speakers.find(({ speaker }) => speaker === undefined)
  const entries = named.map(({ speaker, cues }) => ({
    cues,
    text: `  ${yamlScalar(speaker)}: ${voiceText(job, batch, speaker)}`
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

const voiceText = (job: Job, batch: Batch, speaker: SpeakerName): string => {
  const casting = voiceOf(job, batch, speaker)
  return casting === undefined
    ? "{ voice: }"
    : `{ provider: ${yamlScalar(casting.provider)}, voice: ${yamlScalar(casting.voice)} }`
}
