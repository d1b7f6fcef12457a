/**
 * Shortens lines that do not fit with the rewriter of their job. Proposals are only reported, unless the manifest
 * accepts them unseen. Then they are spoken within the budget. Once spoken, they are saved in the overrides file.
 */
import { Effect, Either } from "effect"
import { type CueOverride, type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import { charactersOf, lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { manifestOf } from "../load/BatchId.ts"
import type { Batch } from "../load/Job.ts"
import { readOverrides, writeOverrides } from "../load/OverridesFile.ts"
import { knownLengths, longLines } from "../place/LongLines.ts"
import { type JobPlan, withOverrides } from "../plan/BatchPlan.ts"
import { textsOf } from "../plan/JobScript.ts"
import { warn } from "../Progress.ts"
import type { RewrittenLine } from "../rewrite/LineRewritings.ts"
import { makeRewriters, rewriteLines } from "../rewrite/RewriteStage.ts"
import type { RunSpeech } from "./BatchSpeech.ts"

/** How often proposals of a job are spoken: one that is still too long is shortened again. */
const maxRounds = 3

/**
 * A line is rewritten before it is spoken only if this part of its forecast length is already too long. Forecasts err
 * by up to a quarter (`SpeechRate.ts`).
 */
const certain = 0.75

/** A job whose lines are spoken, and the second takes of those that did not fit. */
export interface RetakenJob {
  readonly plan: JobPlan
  readonly takes: ReadonlyArray<UtteranceUse>
}

/** What the jobs of a run share when they are rewritten. */
export const openRewriting = Effect.fnUntraced(function* (batch: Batch) {
  return {
    batch,
    rewriters: yield* makeRewriters(batch),
    /** One job at a time asks its rewriter, or saves its lines. */
    turn: yield* Effect.makeSemaphore(1),
    /** Whether lines could not be saved: then none are spoken. */
    isUnsaved: false,
    /** Why there was no reply, for each line. */
    unanswered: new Map<string, string>()
  }
})
export type Rewriting = Effect.Effect.Success<ReturnType<typeof openRewriting>>

/** Shortens lines that cannot fit before they are spoken, in jobs that accept proposals. */
export const shortenedEarly = Effect.fn("RewriteStep.shortenedEarly")(function* (
  rewriting: Rewriting,
  plan: JobPlan
) {
  const { batch, rewriters, turn } = rewriting
  if (!isAccepting(plan, batch)) return plan
  const known = yield* knownLengths(plan)
  const spoken = new Set(
    plan.uses.flatMap(({ utterance, lines }) => (known.clips.has(utterance.key) ? lines.map(lineName) : []))
  )
  const long = longLines(plan, known).filter(
    ({ line, limit = Infinity, isOver }) =>
      isOver && limit <= certain * charactersOf(line.said) && !spoken.has(lineName(line))
  )
  const { lines } = yield* turn.withPermits(1)(rewriteLines(plan, long, batch, rewriters))
  const changes = acceptable(plan, lines, batch)
  return changes === undefined ? plan : yield* saved(rewriting, plan, changes)
})

/** Shortens the spoken lines of a job that do not fit, and speaks accepted proposals; `takes` are its retakes. */
export const shortened = Effect.fn("RewriteStep.shortened")(function* <E, R, E2, R2>(
  rewriting: Rewriting,
  { plan: planned, takes: first }: RetakenJob,
  { halted, ready, more }: RunSpeech<E, R>,
  retaken: (plan: JobPlan) => Effect.Effect<RetakenJob, E2, R2>
) {
  const { batch, rewriters, turn, unanswered } = rewriting
  let plan = planned
  let takes = first
  if (plan.job.rewrite === undefined) return { plan, takes }
  for (let round = 0; ; round++) {
    const long = longLines(plan, yield* knownLengths(plan, takes), takes)
    const isHalted = halted() !== undefined
    const { lines, failures } = yield* turn.withPermits(1)(
      rewriteLines(plan, long, batch, isHalted ? undefined : rewriters)
    )
    const shown = { ...plan, rewritings: lines.map(({ rewriting }) => rewriting) }
    const changes = acceptable(plan, lines, batch)
    const mayTry = isAccepting(plan, batch) && !rewriting.isUnsaved && round < maxRounds && !isHalted
    const trial = mayTry && changes !== undefined ? trialOf(plan, changes, batch) : undefined
    if (trial !== undefined && (yield* ready(trial.uses.map(({ utterance }) => utterance))))
      yield* more(plan, trial.uses)
    const accepted = trial === undefined ? undefined : yield* spokenChanges(trial)
    if (accepted === undefined) {
      for (const [line, why] of failures) unanswered.set(`${plan.job.id} ${line}`, why)
      return { plan: lines.length === 0 ? plan : shown, takes }
    }
    plan = yield* saved(rewriting, plan, accepted)
    // A retake of the longer words must not be played.
    takes = (yield* retaken(plan)).takes
  }
})

/** Saves accepted texts in the overrides file, and returns the job as every run will plan it from now on. */
const saved = Effect.fnUntraced(function* (rewriting: Rewriting, plan: JobPlan, changes: CueOverrides) {
  const { batch, turn } = rewriting
  const { id } = plan.job
  const kept = yield* writeOverrides(batch.manifest, id, changes).pipe(
    Effect.zipRight(readOverrides(batch.manifest)),
    Effect.flatMap(({ jobs }) => withOverrides(plan, jobs[id] ?? {}, batch)),
    turn.withPermits(1),
    Effect.either
  )
  if (Either.isRight(kept)) return kept.right
  rewriting.isUnsaved = true
  yield* warn(`rewrite: ${kept.left.message}; proposals are only reported`)
  return plan
})

/** Warns in one line about requests without a reply. */
export const warnOfUnanswered = ({ unanswered }: Rewriting) => {
  const [why] = unanswered.values()
  const lines = unanswered.size === 1 ? "1 line" : `${unanswered.size} lines`
  return why === undefined ? Effect.void : warn(`rewrite: no reply for ${lines}: ${why}; run again to retry`)
}

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
const spokenChanges = Effect.fnUntraced(function* ({ plan, changes }: Trial) {
  const store = yield* UtteranceStore
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
