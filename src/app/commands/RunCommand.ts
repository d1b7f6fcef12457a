/** The `run` and `retry` commands. */
import { Effect, Option } from "effect"
import { clipsIn } from "../../fleet/shared/WorkerRoles.ts"
import { findUnchanged, runUnchanged } from "../../library/batch/UnchangedRun.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import type { DubResult } from "../../pipeline/run/RunCompletion.ts"
import { digestSources, type NoopBatch } from "../../pipeline/run/NoopCheck.ts"
import { unlisted } from "../../pipeline/load/UnlistedSubtitles.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { FreshRunOptions, First } from "../batch/FreshRun.ts"
import { loadBatchInput, printNotices, tellUnlisted } from "../batch/BatchInput.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { openLog } from "../terminal/LogFile.ts"
import { summaryText } from "../terminal/RunSummary.ts"
import { Screen } from "../terminal/Screen.ts"
import { progressDisplay } from "../terminal/ProgressDisplay.ts"

export interface RunOptions extends FreshRunOptions {
  readonly log: string | undefined
}

export const runCommand = (options: RunOptions) =>
  Effect.gen(function* () {
    const { batch, sources } = yield* begun(options)
    const before = yield* findUnchanged(
      batch,
      sources,
      options.share === undefined ? undefined : clipsIn(options.share)
    )
    const result = Option.isSome(before)
      ? yield* saidAgain(before.value, options)
      : yield* runAfresh(batch, sources, options, () => Effect.void)
    yield* tell(batch, result, options)
  }).pipe(Effect.provide(ffmpegFromEnvironment))

export const retryCommand = (options: RunOptions) =>
  Effect.gen(function* () {
    const { batch, sources } = yield* begun(options)
    yield* tell(batch, yield* runAfresh(batch, sources, options, revived), options)
  }).pipe(Effect.provide(ffmpegFromEnvironment))

/** Opens the log if there is one, loads the batch and digests its files. */
const begun = Effect.fnUntraced(function* (options: RunOptions) {
  const screen = yield* Screen
  if (options.log !== undefined) yield* screen.logTo(yield* openLog(options.log))
  const batch = yield* loadBatchInput(options)
  if (!options.quiet) yield* tellUnlisted(batch.manifest, yield* unlisted(batch))
  return { batch, sources: yield* digestSources(batch) }
})

const saidAgain = (before: NoopBatch, options: RunOptions) =>
  Effect.zipRight(printNotices(before, options), runUnchanged(before)).pipe(
    Effect.provide(progressDisplay(options))
  )

const runAfresh = <E>(batch: Batch, sources: string, options: RunOptions, first: First<E>) =>
  Effect.flatMap(
    Effect.promise(() => import("../batch/FreshRun.ts")),
    ({ planAndRun }) => planAndRun(batch, sources, options, first)
  )

const revived: First<StateUnusable> = ({ utterances }) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const screen = yield* Screen
    const keys = yield* store.revive(
      utterances.map(({ key }) => key),
      "all"
    )
    yield* screen.say(`retrying ${formatCount(keys.length, "failed utterance")}`)
  })

/** Sends the manifest's notifications, prints the summary, and fails if the run stopped or a job was not delivered. */
const tell = Effect.fnUntraced(function* (
  { notify, manifest, out }: Batch,
  result: DubResult,
  options: RunOptions
) {
  const screen = yield* Screen
  const { report, jobs, halt, unwritten } = result
  if (notify !== undefined) {
    const { notifyRunEnd: told } = yield* Effect.promise(() => import("../nightly/Notification.ts"))
    yield* told(notify, manifest, report)
  }
  if (!options.json) yield* Effect.forEach(report.warnings, (warning) => screen.say(`warning: ${warning}`))
  yield* screen.result(
    options.json
      ? JSON.stringify(report, null, 2)
      : summaryText(result, out, process.cwd(), options.verbose, screen.look)
  )
  if (halt !== undefined && halt.reason !== "unreachable") {
    return yield* new CommandEnded({ code: exitCodes.stopped, message: halt.words })
  }
  if (unwritten !== undefined) {
    return yield* new CommandEnded({ code: exitCodes.failed, message: unwritten.message })
  }
  const undone = jobs.filter(({ status }) => status !== "delivered")
  if (undone.length > 0) {
    return yield* new CommandEnded({
      code: exitCodes.failed,
      message: `${undone.length} of ${jobs.length} jobs not delivered: ${undone.map(({ job }) => job.id).join(", ")}`
    })
  }
})
