/** Delivers one job: turns its clips into files and a report, or skips it if nothing has changed. */
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
  reportNames
} from "./DeliveryFingerprint.ts"
import { removeOutdated } from "./OutdatedOutputs.ts"
import type { CueOutcome } from "../report/CueOutcomes.ts"
import { entriesOf, buildJobReport, outcomesOf } from "../report/JobReportBuilder.ts"
import { streamJson } from "../report/JsonStream.ts"
import { placeLines, unspokenLines } from "../place/LinePlacement.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { Progress } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { writeJobPage } from "../report/ReportPages.ts"
import { writeResult } from "../report/ResultFolder.ts"
import type { JobResult } from "../report/JobResult.ts"
import { isHeard, isVerified, type Verification, verifyJob } from "../report/DeliveryVerification.ts"

/** Returns the stored clips of utterances, and which of them are suspect. */
const clipsAtHand = Effect.fnUntraced(function* (keys: ReadonlyArray<UtteranceKey>) {
  const clips = new Map<UtteranceKey, Clip>()
  const suspects = new Set<UtteranceKey>()
  for (const [key, { clip, suspect }] of yield* (yield* UtteranceStore).clips(keys)) {
    clips.set(key, clip)
    if (suspect !== undefined) suspects.add(key)
  }
  return { clips, suspects }
})

/** Returns why utterances have failed. */
const failuresAmong = Effect.fnUntraced(function* (keys: ReadonlyArray<UtteranceKey>) {
  const failures = new Map<UtteranceKey, string>()
  for (const [key, { state, setback }] of yield* (yield* UtteranceStore).standings(keys))
    if (state === "failed") failures.set(key, setback?.words ?? "failed")
  return failures
})

/** Compares a job's current fingerprint with its last delivery. */
export const checkDelivery = Effect.fn("JobDelivery.checkDelivery")(function* (
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

/** Records that a job was delivered with which fingerprint and files, and marks its clips as placed. */
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
        message: `${plan.job.id}: kept earlier files of outputs that are no longer requested: ${left.join(", ")}`
      })
    )
  const beside = reportNames.map((name) => join(out, plan.job.id, name))
  yield* rememberFiles(out, plan, digest, [...files, ...beside])
})

/** Delivers a job whose utterances are all spoken, failed or left; `takes` are retakes of its lines. */
export const deliverJob = Effect.fn("JobDelivery.deliverJob")(function* (
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

/** Length of the result in frames at 48 kHz: the video's, else up to the last cue or word. */
const lengthOf = ({ video }: JobPlan, outcomes: ReadonlyArray<CueOutcome>): Frames =>
  video === undefined
    ? framesAt(
        millis(outcomes.reduce((end, cue) => Math.max(end, cue.end, cue.heard?.end ?? 0), 0)),
        deliveryRate
      )
    : framesAtMicros(video.duration, deliveryRate)

/** Names the cues that are not audible where the report places them. */
const unheardIn = ({ cues }: Verification): string => {
  const amiss = cues.flatMap(({ index, verdict }) =>
    verdict === "missing" || verdict === "off" ? [index] : []
  )
  return `verify: ${formatCueList(amiss)} not heard where the report puts ${amiss.length === 1 ? "it" : "them"}`
}

/** Maximum number of causes in a message; the report has all of them. */
const mostCauses = 3

/** Names the failed cues by number, grouped by cause. */
const failureOf = (outcomes: ReadonlyArray<CueOutcome>): string => {
  const failed = outcomes.flatMap(({ index, error }) => (error === undefined ? [] : [{ index, error }]))
  const causes = Object.entries(Array.groupBy(failed, ({ error }) => error))
  const numbers = (cues: typeof failed) => formatCueList(cues.map(({ index }) => index))
  const unlisted = causes.slice(mostCauses).flatMap(([, cues]) => cues)
  return [
    ...causes
      .slice(0, mostCauses)
      .map(([error, cues], at) => `${numbers(cues)}${at === 0 ? " could not be spoken" : ""}: ${error}`),
    ...(unlisted.length === 0 ? [] : [`${numbers(unlisted)}: see report.json`])
  ].join("; ")
}

const writeReport = Effect.fnUntraced(function* (out: string, report: JobReport) {
  const { join } = yield* Path.Path
  const path = join(out, report.job, "report.json")
  yield* writeResult(path, streamJson(report))
  return path
})
