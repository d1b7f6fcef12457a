/** Delivers one placed job: turns its clips into files and a report. */
import { Path, FileSystem } from "@effect/platform"
import { Array, Effect, Iterable } from "effect"
import { unheard, type JobReport } from "../../domain/report/Report.ts"
import {
  millis,
  framesAt,
  deliveryRate,
  fromSeconds,
  millisAt,
  type Frames,
  type Millis
} from "../../domain/time/Units.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { readBackground, type BackgroundTrack } from "../plan/media/JobBackground.ts"
import { separatedBed } from "../plan/media/SeparatedBed.ts"
import { formatCueList, filmTooShort } from "../plan/CueList.ts"
import { deliveredLength } from "./OutputPlan.ts"
import { writeOutputs } from "./OutputWriter.ts"
import { outdateDelivery, rememberFiles, reportNames } from "./DeliveryRecord.ts"
import { removeOutdated } from "./DeliveryRecord.ts"
import { entriesOf, buildJobReport, outcomesOf, type CueOutcome } from "../report/JobReportBuilder.ts"
import { keysOf, type PlacedJob, type SettledJob } from "../place/JobPlacement.ts"
import { emit, warn } from "../Progress.ts"
import { reportIn } from "../report/ReportFile.ts"
import { writeJobReport } from "../report/ReportPages.ts"
import { type JobResult, reportFigures } from "../report/JobResult.ts"
import { isHeard, isVerified, verifyJob, type Verification } from "../report/DeliveryVerification.ts"
import { soundPauses, type PictureStretch } from "../../domain/time/PictureStretch.ts"
import { judgeFile } from "../report/FileJudgement.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import type { Script } from "../../domain/speech/Cue.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import type { Job } from "../load/Job.ts"
import type { TaskId, UtteranceKey } from "../../domain/values/Ids.ts"
import { streamJson } from "../../domain/values/JsonStream.ts"
import { digitalSourceUri } from "../../domain/values/SyntheticMark.ts"
import { version } from "../../domain/values/Version.ts"
import { writeResult } from "../report/ResultFolder.ts"

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
    yield* warn(
      `${plan.job.id}: kept earlier files of outputs that are no longer requested: ${left.join(", ")}`
    )
  const beside = reportNames
    .filter((name) => plan.job.markSynthetic || name !== provenanceName)
    .map((name) => join(out, plan.job.id, name))
  yield* rememberFiles(out, plan, digest, [...files, ...beside])
})

/** Makes the files of a placed job, and its report. */
export const deliverJob = Effect.fn("JobDelivery.deliverJob")(function* (placed: PlacedJob) {
  const { plan, out, clips, placements, stretches } = placed
  const { job } = plan
  const keys = keysOf(plan)
  const last = (yield* reportIn(out, job.id))?.metrics
  const dubbed = { ...plan, ...placed }
  const { end, cut, failed } = extentOf(outcomesOf(dubbed))
  const given = yield* readBackground(job)
  const length = deliveredLength(plan, end, given)
  if (cut.length > 0) yield* warn(`${job.id}: ${filmTooShort(job, cut)} cut off`)
  const missing = keys.filter((key) => !clips.has(key))
  const left = missing.filter((key) => !placed.failures.has(key))
  const isWhole = missing.length === 0 && failed.length === 0
  const undone = (report: JobReport, status: "unfinished" | "failed", error: string): JobResult => ({
    job,
    status,
    error,
    ...reportFigures(report, last)
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
  yield* emit({ _tag: "Delivered", job: job.id, files })
  const figures = reportFigures(report, last)
  return { job, status: "delivered", unchanged: false, files, ...figures } satisfies JobResult
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
const maxCauses = 3

/** Names the failed cues by number, grouped by cause. */
const failureOf = (failed: ReadonlyArray<FailedCue>): string => {
  const causes = Object.entries(Array.groupBy(failed, ({ error }) => error))
  const numbers = (cues: ReadonlyArray<FailedCue>) => formatCueList(cues.map(({ index }) => index))
  const unlisted = causes.slice(maxCauses).flatMap(([, cues]) => cues)
  return [
    ...causes
      .slice(0, maxCauses)
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

/**
 * Returns, for each of a job's files, the rules of the profile that it does not meet; undefined if all files meet it,
 * or the job has no profile. The job's report.json must be written before.
 */
const unmetRules = Effect.fn("JobDelivery.unmetRules")(function* (
  { job, video }: JobPlan,
  files: ReadonlyArray<string>
) {
  if (job.delivery === undefined) return undefined
  const { name, profile } = job.delivery
  const { basename, extname, dirname } = yield* Path.Path
  const own = files.filter(
    (file) => soundEndings.includes(extname(file)) && basename(dirname(file)) === job.id
  )
  const unmet = yield* Effect.forEach(own, (file) =>
    Effect.map(judgeFile(file, profile, video?.picture?.duration), (rules) => {
      const failed = rules.filter(({ verdict }) => verdict === "fail")
      const words = failed.map(({ rule, required, found }) => `${rule} ${found} (${required})`)
      return words.length === 0 ? [] : [`${basename(file)} does not meet ${name}: ${words.join(", ")}`]
    })
  )
  return unmet.flat().length === 0 ? undefined : `delivery: ${unmet.flat().join("; ")}`
})

const soundEndings = [".wav", ".flac", ".mp3", ".m4a", ".opus", ".mp4", ".mov", ".mkv", ".webm"]

/**
 * Returns the chapters of a result of `length` frames at 48 kHz; each lasts until the next, the last one to the end.
 */
const chaptersOf = (
  { chapters }: Pick<Job, "chapters">,
  script: Script,
  placements: ReadonlyArray<Placement>,
  length: Frames
): ReadonlyArray<Chapter> => {
  const end = millisAt(length, deliveryRate)
  const begun: ReadonlyArray<{ readonly start: Millis; readonly title: string }> =
    chapters?.map(({ start, title }) => ({ start: fromSeconds(start), title })) ??
    headingsOf(script, placements)
  const within = begun.filter(({ start }, at) => start < end && start < (begun[at + 1]?.start ?? end))
  return within.map((chapter, at) => ({ ...chapter, end: within[at + 1]?.start ?? end }))
}

/** The start of each heading's first placement. */
const headingsOf = (script: Script, placements: ReadonlyArray<Placement>) => {
  if (script._tag === "Subtitle") return []
  return script.blocks.flatMap(({ kind, text }, at) => {
    const heard = placements.find(({ lines: [line] }) => line.cue === at + 1)
    return kind === "heading" && heard !== undefined ? [{ start: heard.start, title: text }] : []
  })
}

/** The file's name, beside the report. */
const provenanceName = "provenance.json"

/** Utterances read from the state at once. */
const atOnce = 500

/** Writes the provenance of a job's files, or deletes an earlier one if the job's files are not marked. */
const writeProvenance = Effect.fn("JobDelivery.writeProvenance")(function* (
  placed: PlacedJob,
  files: ReadonlyArray<string>
) {
  const store = yield* UtteranceStore
  const path = yield* Path.Path
  const { plan, out, placements } = placed
  const { job } = plan
  const folder = path.join(out, job.id)
  const file = path.join(folder, provenanceName)
  if (!job.markSynthetic) {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.ignore(fs.remove(file))
  }
  const heard = new Map<UtteranceKey, Array<number>>()
  for (const { lines, parts } of placements)
    for (const { utterance } of parts) {
      const cues = lines.map(({ cue }) => cue)
      const before = heard.get(utterance)
      if (before === undefined) heard.set(utterance, cues)
      else before.push(...cues)
    }
  const tasks = new Map<UtteranceKey, TaskId | undefined>()
  for (const some of Array.chunksOf([...heard.keys()], atOnce))
    for (const { utterance, task } of yield* store.rows(some)) tasks.set(utterance.key, task)
  yield* writeResult(
    file,
    streamJson({
      job: job.id,
      ...(job.language === undefined ? {} : { language: job.language }),
      generator: `dubwright ${version}`,
      statement: "The speech in these files is synthetic: it was made from text by the voices below.",
      digitalSourceType: digitalSourceUri("speech"),
      files: files.map((made) => path.relative(folder, made).split(path.sep).join("/")),
      clips: clipsOf(placed, heard, tasks)
    })
  )
})

/** Yields the entry of each clip in the order of its lines. */
function* clipsOf(
  { plan: { uses }, takes, clips }: PlacedJob,
  heard: ReadonlyMap<UtteranceKey, ReadonlyArray<number>>,
  tasks: ReadonlyMap<UtteranceKey, TaskId | undefined>
) {
  const spoken = new Map([...uses, ...takes].map(({ utterance }) => [utterance.key, utterance.casting]))
  for (const [key, casting] of spoken) {
    const cues = heard.get(key)
    if (cues === undefined) continue
    const task = tasks.get(key)
    yield {
      cues: [...new Set(cues)].sort((a, b) => a - b),
      utterance: key,
      provider: casting.provider,
      ...(casting.model === undefined ? {} : { model: casting.model }),
      voice: casting.voice,
      ...(task === undefined ? {} : { task }),
      sha256: clips.get(key)?.checksum ?? ""
    }
  }
}
