/** Delivers one placed job: turns its clips into files and a report. */
import { Path } from "@effect/platform"
import { Array, Effect, Iterable } from "effect"
import { type JobReport, unheard } from "../../domain/report/Report.ts"
import { millis, framesAt } from "../../domain/time/Units.ts"
import { looksOf } from "../../pages/parts/CueMarks.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { readBackground, type BackgroundTrack } from "../plan/media/JobBackground.ts"
import { separatedBed } from "../plan/media/SeparatedBed.ts"
import { formatCueList, filmTooShort } from "../plan/CueList.ts"
import { deliveredLength } from "./OutputPlan.ts"
import { writeOutputs } from "./OutputWriter.ts"
import { chaptersOf } from "./JobChapters.ts"
import { outdateDelivery, rememberFiles, reportNames } from "./DeliveryRecord.ts"
import { provenanceName, writeProvenance } from "./Provenance.ts"
import { unmetRules } from "./ProfileCheck.ts"
import { removeOutdated } from "./OutdatedOutputs.ts"
import type { CueOutcome } from "../report/CueOutcomes.ts"
import { entriesOf, buildJobReport, outcomesOf } from "../report/JobReportBuilder.ts"
import { keysOf, type PlacedJob, type SettledJob } from "../place/JobPlacement.ts"
import { Progress } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { writeJobReport } from "../report/ReportPages.ts"
import type { JobResult } from "../report/JobResult.ts"
import { isHeard, isVerified, type Verification, verifyJob } from "../report/DeliveryVerification.ts"
import { type PictureStretch, soundPauses } from "../../domain/time/PictureStretch.ts"

/** Records that a job was delivered with which fingerprint and files, and marks its clips as placed. */
export const recordDelivery = Effect.fnUntraced(function* (
  { plan, out, clips, digest, before }: SettledJob,
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
  const beside = reportNames
    .filter((name) => plan.job.markSynthetic || name !== provenanceName)
    .map((name) => join(out, plan.job.id, name))
  yield* rememberFiles(out, plan, digest, [...files, ...beside])
})

/** Makes the files of a placed job, and its report. */
export const deliverJob = Effect.fn("JobDelivery.deliverJob")(function* (placed: PlacedJob) {
  const progress = yield* Progress
  const { plan, out, clips, placements, stretches } = placed
  const { job } = plan
  const keys = keysOf(plan)
  const last = (yield* reportIn(out, job.id))?.metrics
  const dubbed = { ...plan, ...placed }
  const { end, cut, failed } = extentOf(outcomesOf(dubbed))
  const given = yield* readBackground(job)
  const length = deliveredLength(plan, end, given)
  if (cut.length > 0)
    yield* progress.emit({ _tag: "Warning", message: `${job.id}: ${filmTooShort(job, cut)} cut off` })
  const missing = keys.filter((key) => !clips.has(key))
  const left = missing.filter((key) => !placed.failures.has(key))
  const isWhole = missing.length === 0 && failed.length === 0
  const undone = (report: JobReport, status: "unfinished" | "failed", error: string): JobResult => ({
    job,
    last,
    looks: looksOf(report.cues),
    status,
    metrics: report.metrics,
    error
  })
  if (left.length > 0 || (!isWhole && job.onFailure === "fail")) {
    const report = buildJobReport(dubbed, length, unheard)
    yield* writeJobReport(out, job, report, { peaks: [], delivered: false }, last)
    return left.length > 0
      ? undone(report, "unfinished", `${left.length} of ${keys.length} utterances are not spoken yet`)
      : undone(report, "failed", failureOf(failed))
  }
  const bed = given ?? (yield* separatedBed(job, placed.film))
  yield* outdateDelivery(placed)
  const { files, measured, peaks } = yield* writeOutputs({
    job,
    out,
    placements,
    clips,
    length,
    entries: () => entriesOf(dubbed),
    chapters: chaptersOf(job, plan.script, placements, length),
    reel: plan.reel,
    stretches,
    background: bed === undefined ? undefined : pausedBackground(bed, stretches)
  })
  yield* writeProvenance(placed, files)
  const report = buildJobReport(dubbed, length, measured)
  yield* writeJobReport(out, job, report, { peaks, delivered: true }, last)
  if (job.verify && isHeard(job)) {
    const heard = yield* verifyJob(out, job)
    if (!isVerified(heard)) return undone(report, "failed", unheardIn(heard))
  }
  const unmet = yield* unmetRules(plan, files)
  if (unmet !== undefined) return undone(report, "failed", unmet)
  yield* recordDelivery(placed, files)
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

/** A cue that could not be spoken, and why. */
interface FailedCue {
  readonly index: number
  readonly error: string
}

/** The end of the last cue or word, the cues with words after the film's end, and those that could not be spoken. */
const extentOf = (outcomes: Iterable<CueOutcome>) => {
  let end = 0
  const cut: Array<number> = []
  const failed: Array<FailedCue> = []
  for (const { index, end: cueEnd, heard, cutWords, error } of outcomes) {
    end = Math.max(end, cueEnd, heard?.end ?? 0)
    if (cutWords > 0) cut.push(index)
    if (error !== undefined) failed.push({ index, error })
  }
  return { end: millis(end), cut, failed }
}

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
const failureOf = (failed: ReadonlyArray<FailedCue>): string => {
  const causes = Object.entries(Array.groupBy(failed, ({ error }) => error))
  const numbers = (cues: ReadonlyArray<FailedCue>) => formatCueList(cues.map(({ index }) => index))
  const unlisted = causes.slice(mostCauses).flatMap(([, cues]) => cues)
  return [
    ...causes
      .slice(0, mostCauses)
      .map(([error, cues], at) => `${numbers(cues)}${at === 0 ? " could not be spoken" : ""}: ${error}`),
    ...(unlisted.length === 0 ? [] : [`${numbers(unlisted)}: see report.json`])
  ].join("; ")
}

/** Returns a background with silence where the film's picture waits. */
const pausedBackground = (
  track: BackgroundTrack,
  stretches: ReadonlyArray<PictureStretch>
): BackgroundTrack =>
  stretches.length === 0
    ? track
    : {
        ...track,
        pauses: soundPauses(stretches).map(({ at, length }) => ({
          at: framesAt(at, track.rate),
          length: framesAt(length, track.rate)
        }))
      }
