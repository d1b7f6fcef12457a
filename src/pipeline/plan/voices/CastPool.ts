/** Gives a job's speakers the voices of its cast. A speaker without one gets a voice of the pool, and keeps it. */
import { createHash } from "node:crypto"
import type { SpeakerSettings } from "../../../domain/manifest/ScriptSettings.ts"
import type { LanguageTag, SpeakerName, VoiceId } from "../../../domain/values/Ids.ts"
import { poolSpeaker } from "../../../store/tables/PoolVoices.ts"
import type { Words } from "../../../script/spoken/CueWords.ts"
import { speakersOf } from "../../../script/spoken/VoiceAssignment.ts"
import type { Job, JobCast } from "../../load/Job.ts"

/** A voice that the pool gave to a speaker. */
export interface PoolChoice {
  readonly file: string
  readonly language: LanguageTag | undefined
  readonly speaker: SpeakerName
  readonly voice: VoiceId
}

/** A job whose speakers have their voices, and the choices made from the pool. */
export interface CastJob {
  readonly job: Job
  readonly choices: ReadonlyArray<PoolChoice>
}

/** Applies the cast to the speakers of a job's words. Speakers of the script alone join the job's settings. */
export const applyCast = (job: Job, words: Words): CastJob => {
  const { cast, ...rest } = job
  if (cast === undefined) return { job, choices: [] }
  const choices: Array<PoolChoice> = []
  const speakers: Record<SpeakerName, SpeakerSettings> = { ...job.speakers }
  for (const { speaker } of speakersOf(words.cues)) {
    if (speaker === undefined) continue
    const own = job.speakers[speaker]
    const given = cast.speakers[speaker] ?? (own?.voice === undefined ? fromPool(cast, speaker) : undefined)
    if (given === undefined) continue
    speakers[speaker] = { ...given, ...own }
    if (cast.speakers[speaker] === undefined && given.voice !== undefined)
      choices.push({ file: cast.file, language: job.language, speaker, voice: given.voice })
  }
  return { job: { ...rest, speakers }, choices }
}

/**
 * Returns the voice chosen before, if the pool still has it. Otherwise chooses by rendezvous hashing, so that a change
 * of the pool changes the voices of few speakers: https://en.wikipedia.org/wiki/Rendezvous_hashing
 */
const fromPool = ({ pool, chosen }: JobCast, speaker: SpeakerName): SpeakerSettings | undefined => {
  const before = chosen(speaker)
  const kept = before === undefined ? undefined : pool.find(({ voice }) => voice === before)
  const [best] = pool
    .map((voice) => ({ voice, weight: weightOf(speaker, voice) }))
    .sort((a, b) => (a.weight < b.weight ? 1 : -1))
  return kept ?? best?.voice
}

const weightOf = (speaker: SpeakerName, { provider, voice }: SpeakerSettings): string =>
  createHash("sha256")
    .update(JSON.stringify([poolSpeaker(speaker), provider ?? null, voice ?? null]))
    .digest("hex")
