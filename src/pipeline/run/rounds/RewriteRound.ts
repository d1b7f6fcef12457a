/**
 * Shortens lines that do not fit with the rewriter of their job. Proposals are only reported, unless the manifest
 * accepts them unseen. Then they are spoken within the budget. Once spoken, they are saved in the overrides file.
 */
import { Effect, Either } from "effect"
import { type CueOverride, type CueOverrides, overrideName } from "../../../domain/manifest/CueOverride.ts"
import { charactersOf, lineName, type UtteranceUse } from "../../../domain/speech/Utterance.ts"
import type { JobId } from "../../../domain/values/Ids.ts"
import { UtteranceStore } from "../../../store/tables/UtteranceStore.ts"
import { manifestOf } from "../../load/BatchId.ts"
import type { Batch } from "../../load/Job.ts"
import { readOverrides, writeOverrides } from "../../load/OverridesFile.ts"
import { knownLengths, longLines } from "../../place/LongLines.ts"
import { type BatchPlan, type JobPlan, withPlans, withOverrides } from "../../plan/BatchPlan.ts"
import { textsOf } from "../../plan/JobScript.ts"
import { Progress } from "../../Progress.ts"
import type { RewrittenLine } from "../../rewrite/LineRewritings.ts"
import { makeRewriters, type RewrittenJob, rewriteLines } from "../../rewrite/RewriteStage.ts"
import type { SpeechOptions } from "../BatchSpeech.ts"
import type { SpokenBatch } from "../RunCompletion.ts"
import { speakAlso, speakRetakes } from "./RetakeRound.ts"

type Takes = ReadonlyMap<JobId, ReadonlyArray<UtteranceUse>>

/** Rounds in which proposals are spoken: one that is still too long is shortened again. */
const mostRounds = 3

/**
 * A line is rewritten before it is spoken only if this part of its forecast length is already too long. Forecasts err
 * by up to a quarter (`SpeechRate.ts`).
 */
const certain = 0.75

/** Prepares the rewriting of a batch. */
export const makeRewriting = Effect.fnUntraced(function* (batch: Batch) {
  const rewriters = yield* makeRewriters(batch)
  const { emit } = yield* Progress
  let isUnsaved = false

  /** Sends the lines of a job that do not fit; `isHalted` sends nothing. */
  const asked = Effect.fnUntraced(function* (plan: JobPlan, takes: Takes, isHalted: boolean) {
    const own = takes.get(plan.job.id)
    const long = longLines(plan, yield* knownLengths(plan, own), own)
    return yield* rewriteLines(plan, long, batch, isHalted ? undefined : rewriters)
  })

  /** Sends the lines of a job that are not spoken yet and cannot fit, by a forecast. */
  const askedEarly = Effect.fnUntraced(function* (plan: JobPlan) {
    const known = yield* knownLengths(plan)
    const spoken = new Set(
      plan.uses.flatMap(({ utterance, lines }) => (known.clips.has(utterance.key) ? lines.map(lineName) : []))
    )
    const long = longLines(plan, known).filter(
      ({ line, limit = Infinity, isOver }) =>
        isOver && limit <= certain * charactersOf(line.said) && !spoken.has(lineName(line))
    )
    return yield* rewriteLines(plan, long, batch, rewriters)
  })

  /** Saves accepted texts in the overrides file, and returns the job as every run will plan it from now on. */
  const saved = Effect.fnUntraced(function* (plan: JobPlan, changes: CueOverrides) {
    const { id } = plan.job
    const kept = yield* writeOverrides(batch.manifest, id, changes).pipe(
      Effect.zipRight(readOverrides(batch.manifest)),
      Effect.flatMap(({ jobs }) => withOverrides(plan, jobs[id] ?? {}, batch)),
      Effect.either
    )
    if (Either.isRight(kept)) return kept.right
    // Later rounds save nothing either, so they speak nothing.
    isUnsaved = true
    yield* emit({ _tag: "Warning", message: `rewrite: ${kept.left.message}; proposals are only reported` })
    return plan
  })

  return {
    /** Before lines are spoken: shortens those that cannot fit, in jobs that accept proposals. */
    beforeSpeech: Effect.fn("RewriteRound.beforeSpeech")(function* (plan: BatchPlan) {
      const changed = new Map<JobId, JobPlan>()
      for (const one of plan.jobs.filter((job) => isAccepting(job, batch))) {
        const changes = acceptable(one, (yield* askedEarly(one)).lines, batch)
        if (changes !== undefined) changed.set(one.job.id, yield* saved(one, changes))
      }
      return changed.size === 0 ? plan : withPlans(plan, changed)
    }),

    /** After lines and retakes are spoken: shortens those that do not fit. Returns the plan to deliver. */
    afterSpeech: Effect.fn("RewriteRound.afterSpeech")(function* <E, R>(
      planned: BatchPlan,
      before: { readonly takes: Takes; readonly spoken: SpokenBatch },
      options: SpeechOptions<E, R>
    ) {
      let plan = planned
      let { takes, spoken } = before
      const found = new Map<JobId, RewrittenJob>()
      for (let round = 0; plan.jobs.some(({ job }) => job.rewrite !== undefined); round++) {
        for (const one of plan.jobs)
          if (one.job.rewrite !== undefined)
            found.set(one.job.id, yield* asked(one, takes, spoken.summary.halt !== undefined))
        const trials = new Map<JobId, Trial>()
        for (const one of plan.jobs) {
          const lines = found.get(one.job.id)?.lines ?? []
          const changes = isAccepting(one, batch) && !isUnsaved ? acceptable(one, lines, batch) : undefined
          const trial = changes === undefined ? undefined : trialOf(one, changes, batch)
          if (trial !== undefined) trials.set(one.job.id, trial)
        }
        if (trials.size === 0 || round === mostRounds || spoken.summary.halt !== undefined) break
        spoken = yield* speakAlso(
          plan,
          new Map([...trials].map(([id, { uses }]) => [id, uses])),
          spoken,
          options
        )
        const changed = new Map<JobId, JobPlan>()
        for (const one of plan.jobs) {
          const changes = yield* spokenChanges(trials.get(one.job.id))
          if (changes !== undefined) changed.set(one.job.id, yield* saved(one, changes))
        }
        if (changed.size === 0) break
        plan = withPlans(plan, changed)
        // A retake of the longer words must not be played.
        const again = yield* speakRetakes(plan, spoken, options)
        takes = again.takes
        spoken = again.spoken
      }
      yield* warn(found)
      const told = new Map(
        plan.jobs.flatMap((one): ReadonlyArray<[JobId, JobPlan]> => {
          const lines = found.get(one.job.id)?.lines ?? []
          return lines.length === 0
            ? []
            : [[one.job.id, { ...one, rewritings: lines.map(({ rewriting }) => rewriting) }]]
        })
      )
      return {
        plan: told.size === 0 ? plan : withPlans(plan, told),
        takes,
        spoken,
        /** Whether every line that was to be sent got a reply. */
        isAnswered: [...found.values()].every(({ failures }) => failures.size === 0)
      }
    })
  }
})

/** Whether a job's proposals may be spoken unseen: they are saved beside its manifest, so it needs one. */
const isAccepting = ({ job }: JobPlan, { key }: Batch): boolean =>
  job.rewrite?.accept === true && manifestOf(key) !== undefined

/**
 * The overrides for a job's new proposals; undefined without any. Words that a person has changed are never replaced.
 */
const acceptable = (
  plan: JobPlan,
  lines: ReadonlyArray<RewrittenLine>,
  batch: Batch
): CueOverrides | undefined => {
  const { overrides = {} } = plan.job
  const textOf = textsOf(plan.script)
  const changes: Record<string, CueOverride> = {}
  for (const { name, rewriting } of lines) {
    const own = overrides[name]
    const { proposal, accepted, cue } = rewriting
    if (proposal === undefined || accepted !== undefined) continue
    if (own?.say !== undefined && own.rewritten !== true) continue
    const was = textOf(cue)
    const change: CueOverride = {
      ...own,
      ...(was === undefined ? {} : { was }),
      say: proposal,
      rewritten: true
    }
    // A provider may not accept so short a text.
    if (Either.isRight(withOverrides(plan, { ...overrides, [name]: change }, batch))) changes[name] = change
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

/** Proposals that are spoken before they are accepted. */
interface Trial {
  readonly changes: CueOverrides
  readonly plan: JobPlan
  /** The utterances that the changes need, beside those of the job. */
  readonly uses: ReadonlyArray<UtteranceUse>
}

const trialOf = (plan: JobPlan, changes: CueOverrides, batch: Batch): Trial | undefined => {
  const changed = withOverrides(plan, { ...plan.job.overrides, ...changes }, batch)
  if (Either.isLeft(changed)) return undefined
  const known = new Set(plan.uses.map(({ utterance }) => utterance.key))
  const uses = changed.right.uses.filter(({ utterance }) => !known.has(utterance.key))
  return { changes, plan: changed.right, uses }
}

/** The changes whose lines are spoken. If the budget runs out, the other lines keep their earlier clips. */
const spokenChanges = Effect.fnUntraced(function* (trial: Trial | undefined) {
  if (trial === undefined) return undefined
  const store = yield* UtteranceStore
  const { plan, changes } = trial
  const clips = yield* store.clips([...new Set(plan.uses.map(({ utterance }) => utterance.key))])
  const unspoken = new Set(
    plan.uses.flatMap(({ utterance, lines }) =>
      clips.has(utterance.key) ? [] : lines.filter(({ replaced }) => replaced !== true).map(lineName)
    )
  )
  const missing = new Set(plan.lines.filter((line) => unspoken.has(lineName(line))).map(overrideName))
  const spoken = Object.entries(changes).filter(([name]) => !missing.has(name))
  return spoken.length === 0 ? undefined : Object.fromEntries(spoken)
})

/** One line about requests without a reply. */
const warn = Effect.fnUntraced(function* (found: ReadonlyMap<JobId, RewrittenJob>) {
  const { emit } = yield* Progress
  const failures = [...found.values()].flatMap((job) => [...job.failures.values()])
  const [why] = failures
  if (why === undefined) return
  const lines = failures.length === 1 ? "1 line" : `${failures.length} lines`
  yield* emit({ _tag: "Warning", message: `rewrite: no reply for ${lines}: ${why}; run again to retry` })
})
