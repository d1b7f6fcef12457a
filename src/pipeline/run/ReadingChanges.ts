/**
 * Lines that this version of dubwright reads otherwise than the one that ran the batch last, though nothing that they
 * are made from has changed: they would be paid for again.
 */
import { Array, Effect, Option, Schema } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { inputBytes } from "../load/InputFile.ts"
import type { Batch } from "../load/Job.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"
import { priceLookup } from "../speak/CreditBudget.ts"

/** By job, a digest of all that its texts are made from, besides the program. */
const Sources = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Beside the record of the batch itself, and longer kept: a batch that is run again is no longer finished. */
const recordOf = (batch: Batch): string => `${batch.key} (sources)`

const sourceOf = Effect.fnUntraced(function* ({ job, lines, video }: JobPlan, { profileOf }: Batch) {
  // A file that is gone by now is told where it is needed.
  const held = (path: string) =>
    inputBytes(path, path).pipe(
      Effect.map(checksumOf),
      Effect.orElseSucceed(() => "unread")
    )
  const { voice, speakers, language, encoding, nativeInput, unit, text, lexicon, pauses, overrides } = job
  const providers = Array.dedupe(lines.map(({ casting }) => casting.provider)).map(profileOf)
  return checksumOf(
    JSON.stringify([
      yield* held(job.input),
      job.sheet === undefined ? null : yield* held(job.sheet.path),
      { voice, speakers, language, encoding, nativeInput, unit, text, lexicon, pauses, overrides },
      // Neither changes what is sent.
      providers.map(({ creditsPerCharacter: _price, concurrency: _pace, ...rules }) => rules),
      video?.duration ?? null
    ])
  )
})

/** Remembers what a batch was planned from. */
export const rememberSources = Effect.fn("Rereading.remember")(function* ({ batch, jobs }: BatchPlan) {
  const finished = yield* CompletedBatches
  const sources = yield* Effect.forEach(jobs, (plan) =>
    Effect.map(sourceOf(plan, batch), (source) => [plan.job.id, source] as const)
  )
  yield* finished.remember(
    recordOf(batch),
    yield* Effect.orDie(Schema.encode(Sources)(Object.fromEntries(sources)))
  )
})

/**
 * The utterances of a job that were not among those it used, and have no clip; and the words they stand in place of.
 */
export interface Reread {
  readonly plan: JobPlan
  readonly uses: ReadonlyArray<UtteranceUse>
  /** What was said, by the cue that an utterance began with. */
  readonly before: ReadonlyMap<number, string>
}

/** Such lines of every job, as far as a record tells. */
export const rereadIn = Effect.fn("Rereading.in")(function* ({ batch, jobs }: BatchPlan) {
  const finished = yield* CompletedBatches
  const store = yield* UtteranceStore
  const record = yield* finished.record(recordOf(batch))
  const known = Option.getOrUndefined(Option.flatMap(record, Schema.decodeOption(Sources)))
  if (known === undefined) return []
  const found = yield* Effect.forEach(
    jobs,
    Effect.fnUntraced(function* (plan) {
      const source = known[plan.job.id]
      if (source === undefined || source !== (yield* sourceOf(plan, batch))) return []
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

/** The keys of the utterances that the last run of a batch used for a job. */
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

/** For each job with such lines what they cost, and then each of them, in words. */
export const rereadNotices = (
  found: ReadonlyArray<Reread>,
  priceOf: (casting: Casting) => number | undefined
): ReadonlyArray<{ readonly summary: string; readonly lines: ReadonlyArray<string> }> =>
  found.map((reread) => ({ summary: summaryOf(reread, priceOf), lines: linesOf(reread) }))

/** How many of the lines that an update reads differently a run names for each job. */
const namedLines = 5

/** Warns of lines that are paid for again because an update of dubwright reads them differently. */
export const warnOfReread = Effect.fn("Rereading.warn")(function* (plan: BatchPlan) {
  const learned = yield* Estimates
  const progress = yield* Progress
  const price = priceLookup(plan.batch.profileOf, learned)
  for (const { summary, lines } of rereadNotices(yield* rereadIn(plan), price)) {
    const more = lines.length > namedLines ? [`… and ${lines.length - namedLines} more`] : []
    for (const message of [summary, ...lines.slice(0, namedLines), ...more])
      yield* progress.emit({ _tag: "Warning", message })
  }
})

const summaryOf = (
  { plan: { job }, uses }: Reread,
  priceOf: (casting: Casting) => number | undefined
): string => {
  const lines = uses.reduce((sum, use) => sum + use.lines.length, 0)
  const characters = uses.reduce((sum, { utterance }) => sum + utterance.characters, 0)
  const credits = uses.reduce<number | undefined>((sum, { utterance }) => {
    const price = priceOf(utterance.casting)
    return sum === undefined || price === undefined ? undefined : sum + price * utterance.characters
  }, 0)
  const cost = credits === undefined ? `${characters} characters` : `${Math.ceil(credits)} credits`
  return (
    `job ${job.id}: ${lines} ${lines === 1 ? "line reads" : "lines read"} differently since the last version, ` +
    `though ${job.inputName} and its settings are the same: ${cost} to speak ${lines === 1 ? "it" : "them"} again`
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
