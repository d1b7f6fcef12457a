/**
 * Finds lines that this version of dubwright reads differently than the last run's version, from unchanged files and
 * settings. Speaking them again costs credits.
 */
import { Array, Effect, Option, Schema } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch } from "../load/Job.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { warn } from "../Progress.ts"
import { priceLookup } from "../speak/Ledger.ts"
import { costOf } from "../plan/Prices.ts"

/** By job, a digest of everything that determines its texts, except the program's version. */
const Sources = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Key of the sources record. The batch's own record is separate, since it is dropped when the batch runs again. */
const recordOf = (batch: Batch): string => `${batch.key} (sources)`

const sourceOf = ({ job, lines, video }: JobPlan, { batch, digests }: BatchPlan): string => {
  const { voice, speakers, language, encoding, start, frameRate, columns } = job
  const { nativeInput, unit, text, lexicon, pauses, overrides, recast } = job
  const providers = Array.dedupe(lines.map(({ casting }) => casting.provider)).map((provider) =>
    batch.profileOf(provider)
  )
  return checksumOf(
    JSON.stringify([
      digests.get(job.input),
      job.sheet === undefined ? null : digests.get(job.sheet.path),
      { voice, speakers, language, encoding, start, frameRate, columns },
      { nativeInput, unit, text, lexicon, pauses, overrides, recast },
      // Neither of the two changes the texts that are sent.
      providers.map(({ creditsPerCharacter: _price, concurrency: _pace, ...rules }) => rules),
      video?.duration ?? null
    ])
  )
}

/** Records the sources of a planned batch. */
export const rememberSources = Effect.fn("ReadingChanges.rememberSources")(function* (plan: BatchPlan) {
  const finished = yield* CompletedBatches
  const sources = plan.jobs.map((one) => [one.job.id, sourceOf(one, plan)] as const)
  yield* finished.remember(
    recordOf(plan.batch),
    yield* Effect.orDie(Schema.encode(Sources)(Object.fromEntries(sources)))
  )
})

/** Utterances of a job that it did not use before and that have no clip, and the texts they replace. */
export interface Reread {
  readonly plan: JobPlan
  readonly uses: ReadonlyArray<UtteranceUse>
  /** The previous texts, by the first cue of the utterance. */
  readonly before: ReadonlyMap<number, string>
}

/** Returns the lines of every job that read differently. Needs the record of an earlier run. */
export const rereadIn = Effect.fn("ReadingChanges.rereadIn")(function* (whole: BatchPlan) {
  const { batch, jobs } = whole
  const finished = yield* CompletedBatches
  const store = yield* UtteranceStore
  const record = yield* finished.record(recordOf(batch))
  const known = Option.getOrUndefined(Option.flatMap(record, Schema.decodeOption(Sources)))
  if (known === undefined) return []
  const found = yield* Effect.forEach(
    jobs,
    Effect.fnUntraced(function* (plan) {
      const source = known[plan.job.id]
      if (source === undefined || source !== sourceOf(plan, whole)) return []
      const used = yield* usedBy(batch, plan)
      const fresh = plan.uses.filter(({ utterance }) => !used.has(utterance.key))
      if (used.size === 0 || fresh.length === 0) return []
      const clips = yield* store.clipSizes(fresh.map(({ utterance }) => utterance.key))
      const uses = fresh.filter(({ utterance }) => !clips.has(utterance.key))
      if (uses.length === 0) return []
      const kept = new Set(plan.uses.map(({ utterance }) => utterance.key))
      const rows = yield* store.rows([...used].filter((key) => !kept.has(key)))
      const before = new Map(
        rows.map(({ label, utterance }) => [Number(/#(\d+)$/u.exec(label)?.[1]), utterance.said.join(" ")])
      )
      const reread: Reread = { plan, uses, before }
      return [reread]
    })
  )
  return Array.flatten(found)
})

/** Returns the keys of the utterances that the last run of a batch used for a job. */
const usedBy = Effect.fnUntraced(function* (batch: Batch, { job }: JobPlan) {
  const finished = yield* CompletedBatches
  const keys = new Set<UtteranceKey>()
  let page = yield* finished.usedClips(batch.key, job.id, "")
  while (Array.isNonEmptyReadonlyArray(page)) {
    for (const { key } of page) keys.add(key)
    page = yield* finished.usedClips(batch.key, job.id, Array.lastNonEmpty(page).key)
  }
  return keys
})

/** Returns, for each such job, a summary with the cost and one message per line. */
export const rereadNotices = (
  found: ReadonlyArray<Reread>,
  priceOf: (casting: Casting) => number | undefined
): ReadonlyArray<{ readonly summary: string; readonly lines: ReadonlyArray<string> }> =>
  found.map((reread) => ({ summary: summaryOf(reread, priceOf), lines: linesOf(reread) }))

/** Maximum number of lines named per job in a run's warnings. */
const namedLines = 5

/** Warns about lines that are charged again because a new version reads them differently. */
export const warnOfReread = Effect.fn("ReadingChanges.warnOfReread")(function* (plan: BatchPlan) {
  const learned = yield* Estimates
  const price = priceLookup(plan.batch.profileOf, learned)
  for (const { summary, lines } of rereadNotices(yield* rereadIn(plan), price)) {
    const more = lines.length > namedLines ? [`… and ${lines.length - namedLines} more`] : []
    yield* Effect.forEach([summary, ...lines.slice(0, namedLines), ...more], warn)
  }
})

const summaryOf = (
  { plan: { job }, uses }: Reread,
  priceOf: (casting: Casting) => number | undefined
): string => {
  const lines = uses.reduce((sum, use) => sum + use.lines.length, 0)
  const { characters, credits } = costOf(
    uses.map(({ utterance }) => utterance),
    priceOf
  )
  const cost = credits === undefined ? `${characters} characters` : `${Math.ceil(credits)} credits`
  return (
    `job ${job.id}: ${lines} ${lines === 1 ? "line is read" : "lines are read"} differently by this version, ` +
    `although ${job.inputName} and its settings are unchanged: ${cost} to speak ${lines === 1 ? "it" : "them"} again`
  )
}

const linesOf = ({ plan: { job, words }, uses, before }: Reread): ReadonlyArray<string> => {
  const lineOf = new Map(words.cues.map(({ cue, line }) => [cue, line]))
  return uses.map(({ utterance, lines: [{ cue }] }) => {
    const was = before.get(cue)
    const now = `"${excerpt(utterance.said.join(" "))}"`
    return `${job.inputName}:${lineOf.get(cue) ?? 1}: cue ${cue} reads ${now}${was === undefined ? "" : `, before "${excerpt(was)}"`}`
  })
}

const excerpt = (words: string): string => {
  const letters = [...words]
  return letters.length <= 60 ? words : `${letters.slice(0, 59).join("").trimEnd()}…`
}
