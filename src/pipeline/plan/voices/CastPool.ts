/**
 * Gives speakers without a voice one of their cast's pool: of the gender that their name suggests, and distinct as far
 * as the pool goes. The state keeps the choices.
 */
import { Array, Effect, Order } from "effect"
import type { SpeakerSettings } from "../../../domain/manifest/ScriptSettings.ts"
import type { LanguageTag, SpeakerName, VoiceId } from "../../../domain/values/Ids.ts"
import type { TraitsOf } from "../../../domain/speech/VoiceTraits.ts"
import { poolSpeaker } from "../../../store/tables/PoolVoices.ts"
import { genderOfSpeaker } from "../../../script/language/SpeakerGender.ts"
import type { Words } from "../../../script/spoken/CueWords.ts"
import { speakersOf } from "../../../script/spoken/VoiceAssignment.ts"
import type { Batch, Job } from "../../load/Job.ts"

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

/** The pools' voices of the speakers of some jobs, and what was guessed from names, a line per language. */
export interface PoolCast {
  readonly voiceOf: (job: Job, speaker: SpeakerName) => SpeakerSettings | undefined
  readonly remarks: ReadonlyArray<string>
}

interface SpokenJob {
  readonly job: Job
  readonly words: Words
}

/** Applies the cast to the speakers of a job's words. Speakers of the script alone join the job's settings. */
export const applyCast = (job: Job, words: Words, { voiceOf }: Pick<PoolCast, "voiceOf">): CastJob => {
  const { cast, ...rest } = job
  if (cast === undefined) return { job, choices: [] }
  const choices: Array<PoolChoice> = []
  const speakers: Record<SpeakerName, SpeakerSettings> = { ...job.speakers }
  for (const { speaker } of speakersOf(words.cues)) {
    if (speaker === undefined) continue
    const own = job.speakers[speaker]
    const given = cast.speakers[speaker] ?? (own?.voice === undefined ? voiceOf(job, speaker) : undefined)
    if (given === undefined) continue
    speakers[speaker] = { ...given, ...own }
    if (cast.speakers[speaker] === undefined && given.voice !== undefined)
      choices.push({ file: cast.file, language: job.language, speaker, voice: given.voice })
  }
  return { job: { ...rest, speakers }, choices }
}

/** Chooses the pools' voices for all jobs together, so that a speaker has the same voice in each. */
export const castFromPools = Effect.fn("CastPool.castFromPools")(function* (
  jobs: ReadonlyArray<SpokenJob>,
  { traits }: Pick<Batch, "traits">
) {
  const casts = new Map<string, ReadonlyMap<string, SpeakerSettings>>()
  const remarks: Array<string> = []
  for (const [place, group] of Object.entries(Array.groupBy(jobs, ({ job }) => placeOf(job)))) {
    const { language, cast } = group[0].job
    if (cast === undefined || cast.pool.length === 0) continue
    const { used, kept, open } = speakersIn(group)
    const traitsOf = open.length > 0 && traits !== undefined ? yield* traits : () => undefined
    const found = castNames(open, language, cast.pool, traitsOf, used, kept)
    casts.set(place, found.voices)
    remarks.push(...found.remarks)
  }
  return {
    voiceOf: (job, speaker) => casts.get(placeOf(job))?.get(poolSpeaker(speaker)),
    remarks
  } satisfies PoolCast
})

/** Jobs of one place have the same pool. */
const placeOf = ({ cast, language }: Job): string => JSON.stringify([cast?.file, language])

/** Returns the voices in use, those that earlier runs chose from the pool, and other speakers, most cues first. */
const speakersIn = (group: ReadonlyArray<SpokenJob>) => {
  const used = new Map<string, VoiceId | undefined>()
  const kept = new Map<string, SpeakerSettings>()
  const open = new Map<string, { readonly speaker: SpeakerName; readonly cues: number }>()
  for (const { job, words } of group)
    for (const { speaker, cues } of speakersOf(words.cues)) {
      const name = poolSpeaker(speaker ?? "")
      if (speaker === undefined) used.set(name, job.voice.voice)
      if (speaker === undefined) continue
      const own = job.speakers[speaker]?.voice ?? job.cast?.speakers[speaker]?.voice
      const chosen = job.cast?.chosen(speaker)
      const before = chosen === undefined ? undefined : job.cast?.pool.find(({ voice }) => voice === chosen)
      if (own !== undefined) used.set(name, own)
      else if (before !== undefined) kept.set(name, before)
      else open.set(name, { speaker, ...open.get(name), cues: cues + (open.get(name)?.cues ?? 0) })
    }
  const ordered = [...open.values()].sort((a, b) => b.cues - a.cues).map(({ speaker }) => speaker)
  return { used: [...used.values()], kept, open: ordered }
}

/**
 * Gives each speaker of `open` a voice of a pool, and returns them with those of `kept`, by `poolSpeaker`, and a line
 * about the guesses. Speakers with a guess choose first. `used` are voices in use elsewhere.
 */
export const castNames = <V extends SpeakerSettings>(
  open: ReadonlyArray<string>,
  language: string | undefined,
  all: ReadonlyArray<V>,
  traitsOf: TraitsOf,
  used: ReadonlyArray<VoiceId | undefined> = [],
  kept: ReadonlyMap<string, V> = new Map()
) => {
  const voices = new Map(kept)
  const pool = all.map((voice) => ({ voice, gender: traitsOf(voice)?.gender ?? "neutral" }))
  const isGendered = pool.some(({ gender }) => gender !== "neutral")
  const guesses = open.map((speaker) => ({
    speaker,
    gender: isGendered ? (genderOfSpeaker(speaker, language) ?? "unknown") : "unknown"
  }))
  const [unknown, guessed] = Array.partition(guesses, ({ gender }) => gender !== "unknown")
  for (const { speaker, gender } of [...guessed, ...unknown]) {
    const rank = (own: string) => (gender === "unknown" || own === gender ? 0 : own === "neutral" ? 1 : 2)
    const uses = (id: VoiceId | undefined) =>
      [...used, ...[...voices.values()].map(({ voice }) => voice)].filter((voice) => voice === id).length
    const [best] = Array.sortBy(
      Order.mapInput(Order.number, (one: (typeof pool)[number]) => rank(one.gender)),
      Order.mapInput(Order.number, (one: (typeof pool)[number]) => uses(one.voice.voice))
    )(pool)
    if (best !== undefined) voices.set(poolSpeaker(speaker), best.voice)
  }
  const list = Object.entries(Array.groupBy(guesses, ({ gender }) => gender)).map(
    ([gender, those]) => `${gender}: ${those.map(({ speaker }) => speaker).join(", ")}`
  )
  const remark = `genders guessed from the speakers' names${language === undefined ? "" : ` (${language})`}: ${list.join("; ")}`
  return {
    voices,
    remarks: isGendered && guesses.length > 0 ? [`${remark}; set other voices under speakers`] : []
  }
}
