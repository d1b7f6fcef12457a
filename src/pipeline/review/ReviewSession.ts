/** Reviews single cues: makes a trial take, and accepts or withdraws a change. */
import { Array, Effect, type Layer } from "effect"
import { encodeWav16 } from "../../audio/formats/Wav.ts"
import { type CueOverride, overrideName } from "../../domain/manifest/CueOverride.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import {
  deliveryRate,
  framesAt,
  framesBetween,
  type Millis,
  millis,
  toSeconds
} from "../../domain/time/Units.ts"
import type { Take, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Gateway } from "../../gateway/Gateway.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { deliverToResult, keepDelivery } from "../deliver/DeliveryOutcome.ts"
import { registerBatch } from "../run/BatchRegistration.ts"
import type { Batch, Job } from "../load/Job.ts"
import { renderPlacement } from "../mix/MixLines.ts"
import type { JobResult } from "../report/JobResult.ts"
import { withUnselectedJobs } from "../run/UnselectedJobs.ts"
import { holdableJob, placeJob, settledJob } from "../place/JobPlacement.ts"
import { placeWithPicture } from "../place/PictureGiving.ts"
import { type JobPlan, planBatch, withOverrides } from "../plan/BatchPlan.ts"
import { planRetakes } from "../place/Retakes.ts"
import { reviewFailed } from "./ReviewFailed.ts"
import type { PlacedTake } from "./TakePreview.ts"
import { planOne, beforeEdits } from "./ReviewedLines.ts"
import { type ReviewChanges, changesOf, mergeEdits } from "./ReviewEdits.ts"
import { deliverShared } from "../deliver/SharedVideo.ts"
import { speakUtterances } from "../speak/SpeakStage.ts"
import { defaultSpeakSettings } from "../speak/SpeakSettings.ts"

/** The batch's speech service. It is connected to only if something must be spoken. */
export type SpeechLayer<E> = Layer.Layer<Gateway, E>

/**
 * Speaks an edited cue, or reuses its cached take, and places it among its neighbours. `now` is the job's plan with the
 * accepted changes. Saves no change. With `mayPay` false, fails instead of sending anything.
 */
export const makeTake = Effect.fn("ReviewSession.makeTake")(function* <E>(
  speech: SpeechLayer<E>,
  batch: Batch,
  job: Job,
  now: JobPlan,
  cue: number,
  edits: ReviewEdits,
  mayPay: boolean
) {
  const { plan, heard: changes } = yield* speakAgain(speech, batch, job, now, cue, edits, mayPay)
  const store = yield* UtteranceStore
  const keys = [...new Set(plan.uses.map(({ utterance }) => utterance.key))]
  const clips = new Map([...(yield* store.clips(keys))].map(([key, { clip }]) => [key, clip]))
  const { placements: all, stretches } = placeWithPicture(holdableJob({ ...plan, job }, clips))
  const placements = all.filter(({ lines }) => lines.some((line) => line.cue === cue))
  const [first] = placements
  if (first === undefined)
    return yield* reviewFailed(
      `the service returned no speech for cue ${cue}; check that the voice supports this text`
    )
  const end = placements.reduce((latest, placement) => Math.max(latest, placement.end), 0)
  const shortenBy = placements.flatMap((placement) => placement.shortenBy ?? [])[0]
  const take: Take = {
    start: toSeconds(first.start),
    end: toSeconds(millis(end)),
    speed: Math.max(...placements.map(({ speed }) => speed)),
    flags: Array.dedupe(placements.flatMap(({ flags }) => flags)),
    ...(shortenBy === undefined ? {} : { shortenBy }),
    besides: changes.besides,
    wav: Buffer.from(
      encodeWav16({ rate: deliveryRate, samples: yield* heard(placements, clips, first.start, millis(end)) })
    ).toString("base64")
  }
  const placed: PlacedTake = { plan, clips, placements: all, stretches, start: first.start, end: millis(end) }
  return { take, changes, placed }
})

/** The overrides of a take. */
export interface HeardChanges {
  readonly own: ReviewChanges
  /** Other lines that must be spoken again, because they shared a clip that could not be split. */
  readonly besides: ReadonlyArray<string>
}

/** Turns edits into overrides without a trial take, and speaks whatever they need. */
export const changesFor = <E>(
  speech: SpeechLayer<E>,
  batch: Batch,
  job: Job,
  cue: number,
  edits: ReviewEdits
) =>
  planOne(batch, job).pipe(
    Effect.flatMap((now) => speakAgain(speech, batch, job, now, cue, edits, true)),
    Effect.map(({ heard }) => heard)
  )

/** Returns the changes that remove the overrides of a cue. */
export const changesToWithdraw = ({ overrides = {} }: Job, cue: number): ReviewChanges =>
  Object.fromEntries(
    Object.keys(overrides)
      .filter((name) => Number.parseInt(name, 10) === cue)
      .map((name) => [name, undefined])
  )

/** The overrides to save when a take is accepted: its own, and those of the lines that must be spoken with it. */
export const changesToAccept = ({ overrides }: Job, { own, besides }: HeardChanges): ReviewChanges => ({
  ...own,
  ...Object.fromEntries(besides.map((name) => [name, { ...overrides?.[name], alone: true }] as const))
})

/** Plans the job with the edits applied, and speaks everything that the cue needs. */
const speakAgain = Effect.fnUntraced(function* <E>(
  speech: SpeechLayer<E>,
  batch: Batch,
  job: Job,
  now: JobPlan,
  cue: number,
  edits: ReviewEdits,
  mayPay: boolean
) {
  const own = keepRest(job.overrides, yield* changesOf(batch, beforeEdits(now), cue, edits))
  const first = yield* withOverrides(now, mergeEdits(job.overrides ?? {}, own), batch)
  const besides = yield* inseparable(first)
  const heard: HeardChanges = { own, besides }
  const plan =
    besides.length === 0
      ? first
      : yield* withOverrides(now, mergeEdits(job.overrides ?? {}, changesToAccept(job, heard)), batch)
  yield* speakUses(speech, batch, plan, [cue], { besides, mayPay })
  return { plan, heard }
})

/** Keeps the values of earlier overrides for which the edit box has no field. A model belongs to its provider. */
const keepRest = (before: Job["overrides"] = {}, changes: ReviewChanges): ReviewChanges =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const { was, tone, model, shift, split, takes, provider } = before[name] ?? {}
      const rest: CueOverride = {
        ...(tone === undefined ? {} : { tone }),
        ...(model === undefined || (change !== undefined && change.provider !== provider) ? {} : { model }),
        ...(shift === undefined ? {} : { shift }),
        ...(split === undefined ? {} : { split }),
        ...(takes === undefined ? {} : { takes })
      }
      if (Object.keys(rest).length === 0) return [name, change]
      return [name, { ...(was === undefined ? {} : { was }), ...change, ...rest }]
    })
  )

/** Finds lines that share an unsplittable clip with a changed line: they must be spoken again, too. */
const inseparable = Effect.fnUntraced(function* ({ uses }: JobPlan) {
  const store = yield* UtteranceStore
  const torn = uses.filter(({ lines }) => lines.some(({ replaced }) => replaced === true))
  const clips = yield* store.clips(torn.map(({ utterance }) => utterance.key))
  return Array.dedupe(
    torn
      .filter(({ utterance }) => clips.get(utterance.key)?.clip.cut === "together")
      .flatMap(({ lines }) => lines.filter(({ replaced }) => replaced !== true).map(overrideName))
  )
})

/** Speaks the utterances of these cues, and of the lines in `besides`, that have no clip yet. */
const speakUses = Effect.fnUntraced(function* <E>(
  speech: SpeechLayer<E>,
  batch: Batch,
  plan: JobPlan,
  cues: ReadonlyArray<number>,
  {
    besides = [],
    mayPay = true
  }: { readonly besides?: ReadonlyArray<string>; readonly mayPay?: boolean } = {}
) {
  const store = yield* UtteranceStore
  const uses = plan.uses.filter(({ lines }) =>
    lines.some(
      (line) => line.replaced !== true && (cues.includes(line.cue) || besides.includes(overrideName(line)))
    )
  )
  const utterances = uses.map(({ utterance }) => utterance)
  const keys = Array.dedupe(utterances.map(({ key }) => key))
  if (!mayPay && (yield* store.clips(keys)).size < keys.length)
    return yield* reviewFailed(
      "the clip of this take was deleted; press Listen to speak it again, at the service's price"
    )
  // A trial is a batch of its own, so the manifest's own batch stays registered unchanged until a take is accepted.
  const trial = { ...batch, key: `${batch.key} in review` }
  const { waiting } = yield* registerBatch({ batch: trial, jobs: [{ ...plan, uses }], utterances })
  if (waiting.size === 0) return
  yield* store.revive([...waiting.keys()], "all")
  const { halt } = yield* speakUtterances({
    ...defaultSpeakSettings,
    patience: "1 minute",
    keys,
    profileOf: batch.profileOf,
    undecided: batch.undecided,
    languageOf: () => plan.job.language
  }).pipe(Effect.provide(speech))
  const standings = yield* store.standings(keys)
  const failed = keys.flatMap((key) => {
    const standing = standings.get(key)
    return standing?.state === "failed" ? [standing.setback?.words ?? "it could not be spoken"] : []
  })
  const words = failed[0] ?? halt?.words
  if (words !== undefined) return yield* reviewFailed(words)
})

/** Mixes the placements into one piece of audio, from `start` to `end`. */
const heard = Effect.fnUntraced(function* (
  placements: ReadonlyArray<Placement>,
  clips: Parameters<typeof renderPlacement>[0]["clips"],
  start: Millis,
  end: Millis
) {
  const from = framesAt(start, deliveryRate)
  const samples = new Float32Array(framesBetween(from, framesAt(end, deliveryRate)))
  for (const placement of placements) {
    const at = framesAt(placement.start, deliveryRate)
    const speech = yield* renderPlacement(
      { clips, rate: deliveryRate },
      placement,
      framesBetween(at, framesAt(placement.end, deliveryRate))
    )
    speech.forEach((sample, frame) => {
      const place = at - from + frame
      samples[place] = (samples[place] ?? 0) + sample
    })
  }
  return samples
})

/** Plans the batch with the accepted changes, and speaks the missing utterances of a job's changed cues. */
export const prepareEdit = Effect.fn("ReviewSession.prepareEdit")(function* <E>(
  speech: SpeechLayer<E>,
  batch: Batch,
  { id }: Job,
  cues: ReadonlyArray<number>
) {
  const plan = yield* planBatch(batch)
  const job = plan.jobs.find((one) => one.job.id === id)
  if (job === undefined) return yield* reviewFailed(`this batch has no job "${id}"; reload the page`)
  yield* speakUses(speech, batch, job, cues)
  yield* registerBatch(plan)
  return job
})

/** Delivers a prepared job; fails if it could not be delivered. */
export const deliverEdited = Effect.fn("ReviewSession.deliverEdited")(function* (batch: Batch, job: JobPlan) {
  const deliveries = yield* Deliveries
  const takes = yield* planRetakes(job, batch)
  const settled = yield* settledJob(job, takes, batch.out, yield* deliveries.all(batch.out))
  const own = settled.isUnchanged
    ? yield* keepDelivery(settled)
    : yield* deliverToResult(yield* placeJob(settled))
  const result = job.job.into === undefined ? own : yield* heardInShared(batch, own)
  if (result.status !== "delivered")
    return yield* reviewFailed(
      `the change is saved, but job ${job.job.id} was not delivered: ${result.error}`
    )
})

/** Rebuilds a job's shared video; returns the job's result. */
const heardInShared = Effect.fnUntraced(function* ({ jobs, out }: Batch, settled: JobResult) {
  const all = yield* deliverShared(out, yield* withUnselectedJobs({ every: jobs, out }, [settled]))
  return all.find(({ job }) => job.id === settled.job.id) ?? settled
})
