/** One job from its clips to its files and report; or left alone, where it would make the same again. */
import { Path } from "@effect/platform"
import { Array, Effect, Iterable } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import { type JobReport, unheard } from "../../domain/report/Report.ts"
import {
  deliveryRate,
  type Frames,
  framesAt,
  framesAtMicros,
  millis,
  millisAtMicros
} from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { UtteranceUse } from "../../domain/speech/Utterance.ts"
import { looksOf } from "../../pages/parts/CueMarks.ts"
import type { Delivery } from "../../store/tables/Deliveries.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { formatCueList, filmTooShort } from "../plan/CueList.ts"
import { writeOutputs } from "./OutputWriter.ts"
import { chaptersOf } from "./JobChapters.ts"
import {
  allFilesPresent,
  fingerprintOf,
  filesMadeIn,
  rememberFiles,
  removeOutdated,
  reportNames
} from "./DeliveryFingerprint.ts"
import { type CueOutcome, entriesOf, buildJobReport, outcomesOf } from "../report/JobReportBuilder.ts"
import { streamJson } from "../report/JsonStream.ts"
import { placeLines, unspokenLines } from "../place/LinePlacement.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { writeJobPage } from "../report/ReportPages.ts"
import { writeResult } from "../report/ResultFolder.ts"
import type { JobResult } from "../report/JobResult.ts"
import { isHeard, isVerified, type Verification, verifyJob } from "../report/DeliveryVerification.ts"

/** The clips of those utterances that have one, and which of them were kept although they are odd. */
const clipsAtHand = Effect.fnUntraced(function* (keys: ReadonlyArray<UtteranceKey>) {
  const clips = new Map<UtteranceKey, Clip>()
  const suspects = new Set<UtteranceKey>()
  for (const [key, { clip, suspect }] of yield* (yield* UtteranceStore).clips(keys)) {
    clips.set(key, clip)
    if (suspect !== undefined) suspects.add(key)
  }
  return { clips, suspects }
})

/** Why utterances have failed, in words. */
const failuresAmong = Effect.fnUntraced(function* (keys: ReadonlyArray<UtteranceKey>) {
  const failures = new Map<UtteranceKey, string>()
  for (const [key, { state, setback }] of yield* (yield* UtteranceStore).standings(keys))
    if (state === "failed") failures.set(key, setback?.words ?? "failed")
  return failures
})

/** What a job's files would be made of now, beside what they were made of last. */
export const checkDelivery = Effect.fn("JobDelivery.considered")(function* (
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>,
  out: string,
  before: ReadonlyMap<string, Delivery>
) {
  const { job } = plan
  const keys = [...new Set(plan.uses.map(({ utterance }) => utterance.key))]
  const { clips, suspects } = yield* clipsAtHand([...keys, ...takes.map(({ utterance }) => utterance.key)])
  const digest = yield* fingerprintOf(plan, clips, out)
  const made = before.get(job.id)
  const lastTime = yield* reportIn(out, job.id)
  const last = lastTime?.metrics
  const unchanged: JobResult | undefined =
    made?.digest === digest && (yield* allFilesPresent(out, made))
      ? {
          job,
          status: "delivered",
          unchanged: true,
          metrics: last,
          last,
          looks: looksOf(lastTime?.cues ?? []),
          files: filesMadeIn(made)
        }
      : undefined
  return { keys, clips, suspects, digest, before: made, last, unchanged }
})

/** Remembers that a job was delivered, what decided its files, and that its clips are in use. */
export const recordDelivery = Effect.fnUntraced(function* (
  plan: JobPlan,
  out: string,
  {
    clips,
    digest,
    before
  }: {
    readonly clips: ReadonlyMap<UtteranceKey, unknown>
    readonly digest: string
    readonly before: Delivery | undefined
  },
  files: ReadonlyArray<string>
) {
  const store = yield* UtteranceStore
  const { join } = yield* Path.Path
  yield* store.applyAll(Iterable.map(clips.keys(), (key) => ({ event: "place" as const, key })))
  const left = before === undefined ? [] : yield* removeOutdated(out, plan.job.id, before, files)
  if (left.length > 0)
    yield* Effect.flatMap(Progress, ({ emit }) =>
      emit({
        _tag: "Warning",
        message: `${plan.job.id}: no longer asked for, left as an earlier run made it: ${left.join(", ")}`
      })
    )
  const beside = reportNames.map((name) => join(out, plan.job.id, name))
  yield* rememberFiles(out, plan, digest, [...files, ...beside])
})

/** Delivers a job whose utterances are spoken, failed or left; `takes` are second takes of its lines. */
export const deliverJob = Effect.fn("JobDelivery.deliver")(function* (
  plan: JobPlan,
  takes: ReadonlyArray<UtteranceUse>,
  out: string,
  before: ReadonlyMap<string, Delivery>
) {
  const progress = yield* Progress
  const { job } = plan
  const made = yield* checkDelivery(plan, takes, out, before)
  if (made.unchanged !== undefined) {
    yield* progress.emit({ _tag: "Unchanged", job: job.id })
    return made.unchanged
  }
  const { keys, clips, suspects, last } = made
  yield* progress.emit({ _tag: "Placing", job: job.id })
  const dubbed = {
    ...plan,
    clips,
    placements: placeLines({
      lines: plan.lines,
      uses: plan.uses,
      clips,
      takes,
      limits: job.fit,
      ...(plan.video === undefined ? {} : { horizon: millisAtMicros(plan.video.duration) })
    }),
    failures: yield* failuresAmong(keys),
    unsaid: unspokenLines({ uses: plan.uses, clips }),
    suspects
  }
  const outcomes = outcomesOf(dubbed)
  const length = lengthOf(plan, outcomes)
  const cut = outcomes.flatMap(({ index, cutWords }) => (cutWords > 0 ? [index] : []))
  if (cut.length > 0)
    yield* progress.emit({ _tag: "Warning", message: `${job.id}: ${filmTooShort(job, cut)} cut off` })
  const missing = keys.filter((key) => !clips.has(key))
  const left = missing.filter((key) => !dubbed.failures.has(key))
  const isWhole = missing.length === 0 && outcomes.every(({ error }) => error === undefined)
  if (left.length > 0 || (!isWhole && job.onFailure === "fail")) {
    const report = buildJobReport(dubbed, outcomes, length, unheard)
    yield* writeReport(out, report)
    yield* writeJobPage(out, job, report, { peaks: [], delivered: false }, last)
    const undone: JobResult = {
      job,
      last,
      looks: looksOf(report.cues),
      status: left.length > 0 ? "unfinished" : "failed",
      metrics: report.metrics,
      error:
        left.length > 0
          ? `${left.length} of ${keys.length} utterances are not spoken yet`
          : failureOf(outcomes)
    }
    return undone
  }
  const { files, measured, peaks } = yield* writeOutputs({
    job,
    out,
    placements: dubbed.placements,
    clips,
    length,
    entries: entriesOf(plan.script, outcomes),
    chapters: chaptersOf(job, plan.script, dubbed.placements, length),
    reel: plan.reel
  })
  const report = buildJobReport(dubbed, outcomes, length, measured)
  yield* writeReport(out, report)
  yield* writeJobPage(out, job, report, { peaks, delivered: true }, last)
  if (job.verify && isHeard(job)) {
    const heard = yield* verifyJob(out, job)
    if (!isVerified(heard)) {
      const unheard: JobResult = {
        job,
        last,
        looks: looksOf(report.cues),
        status: "failed",
        metrics: report.metrics,
        error: unheardIn(heard)
      }
      return unheard
    }
  }
  yield* recordDelivery(plan, out, made, files)
  yield* progress.emit({ _tag: "Delivered", job: job.id, files })
  const delivered: JobResult = {
    job,
    status: "delivered",
    unchanged: false,
    metrics: report.metrics,
    last,
    looks: looksOf(report.cues),
    files
  }
  return delivered
})

/** The video's length, or enough for the last cue and the last word; in frames at 48 kHz. */
const lengthOf = ({ video }: JobPlan, outcomes: ReadonlyArray<CueOutcome>): Frames =>
  video === undefined
    ? framesAt(
        millis(outcomes.reduce((end, cue) => Math.max(end, cue.end, cue.heard?.end ?? 0), 0)),
        deliveryRate
      )
    : framesAtMicros(video.duration, deliveryRate)

/** The cues that were not heard where they belong, by number. */
const unheardIn = ({ cues }: Verification): string => {
  const amiss = cues.flatMap(({ index, verdict }) =>
    verdict === "missing" || verdict === "off" ? [index] : []
  )
  return `verify: ${formatCueList(amiss)} not heard where the report puts ${amiss.length === 1 ? "it" : "them"}`
}

/** How many causes are told; the report has them all. */
const mostCauses = 3

/** The cues that cannot be heard, by number, each with its cause. */
const failureOf = (outcomes: ReadonlyArray<CueOutcome>): string => {
  const failed = outcomes.flatMap(({ index, error }) => (error === undefined ? [] : [{ index, error }]))
  const causes = Object.entries(Array.groupBy(failed, ({ error }) => error))
  const numbers = (cues: typeof failed) => formatCueList(cues.map(({ index }) => index))
  const untold = causes.slice(mostCauses).flatMap(([, cues]) => cues)
  return [
    ...causes
      .slice(0, mostCauses)
      .map(([error, cues], at) => `${numbers(cues)}${at === 0 ? " could not be spoken" : ""}: ${error}`),
    ...(untold.length === 0 ? [] : [`${numbers(untold)}: see report.json`])
  ].join("; ")
}

const writeReport = Effect.fnUntraced(function* (out: string, report: JobReport) {
  const { join } = yield* Path.Path
  const path = join(out, report.job, "report.json")
  yield* writeResult(path, streamJson(report))
  return path
})
