/** The `run` and `retry` commands. */
import { Clock, Effect, Option } from "effect"
import { FleetUnusable } from "../../fleet/shared/FleetErrors.ts"
import { isServiceFault } from "../../domain/report/Report.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { SpeechService } from "../../library/layers/SpeechService.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { dub, prepareRun } from "../../pipeline/Dub.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { unlisted } from "../../pipeline/load/UnlistedSubtitles.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { reviveFailed } from "../../pipeline/run/BatchRegistration.ts"
import { openRun } from "../../pipeline/run/OpenRun.ts"
import type { DubResult } from "../../pipeline/run/RunCompletion.ts"
import {
  type BatchOptions,
  loadBatchInput,
  printNotices,
  tellDefaultVoices,
  tellReading,
  tellUnlisted
} from "../batch/BatchInput.ts"
import { localBatch } from "../batch/LocalBatch.ts"
import { nextAt, type TimeOfDay } from "../batch/Deadline.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { commandService } from "../layers/GatewayLayer.ts"
import { openLog } from "../terminal/LogFile.ts"
import { progressDisplay } from "../terminal/ProgressDisplay.ts"
import { summaryText } from "../terminal/RunSummary.ts"
import { Screen } from "../terminal/Screen.ts"

export interface RunOptions extends BatchOptions {
  readonly maxCredits: number | undefined
  readonly force: boolean
  readonly deadline: TimeOfDay | undefined
  readonly events: boolean
  readonly fleet: string | undefined
  readonly share: string | undefined
  readonly log: string | undefined
}

export const runCommand = (options: RunOptions) => ran(options, false)

export const retryCommand = (options: RunOptions) => ran(options, true)

const ran = (options: RunOptions, retry: boolean) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.log !== undefined) yield* screen.logTo(yield* openLog(options.log))
    yield* runOnce(options, retry)
  })

/** Runs a batch and reports how it ended. `heard` receives the result, even if the run counts as failed. */
export const runOnce = (options: RunOptions, retry: boolean, heard: (result: DubResult) => void = () => {}) =>
  Effect.gen(function* () {
    const local = yield* localBatch(options)
    const { batch, result } = yield* Effect.scoped(dubbed(local.options, retry))
    heard(result)
    const sent = yield* Effect.either(local.sendResults(batch))
    yield* tell(batch, result, options)
    yield* sent
  }).pipe(Effect.provide(ffmpegFromEnvironment))

const dubbed = (options: RunOptions, retry: boolean) =>
  Effect.gen(function* () {
    const { maxCredits, force } = options
    const fleet = yield* fleetNamed(options)
    const run = yield* openRun(fleet?.share.clips)
    const batch = yield* loadBatchInput(options, run.read, run.known)
    yield* tellReading(batch, options)
    if (!options.quiet) yield* tellUnlisted(batch.manifest, yield* unlisted(batch))
    const prepared = yield* prepareRun(run, batch, { again: retry })
    const { work } = prepared
    yield* printNotices(work, options)
    if (!options.quiet && !("results" in work)) yield* tellDefaultVoices(work.batch)
    const now = new Date(yield* Clock.currentTimeMillis)
    const deadline = options.deadline === undefined ? undefined : nextAt(options.deadline, now)
    const { executor } =
      "results" in work || fleet === undefined ? { executor: undefined } : yield* fleet.connect(work)
    const result = yield* Effect.flatMap(SpeechService, (service) =>
      dub(prepared, service, { maxCredits, deadline, force, executor, first: retry ? revived : undefined })
    ).pipe(Effect.provide([progressDisplay(options), commandService(options)]))
    return { batch, result }
  }).pipe(
    // Redis failed later, when tasks may have been created.
    Effect.catchSomeDefect((defect) =>
      defect instanceof FleetUnusable
        ? Option.some(new CommandEnded({ code: exitCodes.failed, message: defect.message }))
        : Option.none()
    )
  )

const revived = (plan: BatchPlan) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const keys = yield* reviveFailed(plan)
    yield* screen.say(`retrying ${formatCount(keys.length, "failed utterance")}`)
  })

/**
 * Opens the share of the fleet that the options name; its code is loaded only then. Without a fleet, this process does
 * all work.
 */
const fleetNamed = Effect.fnUntraced(function* ({ fleet, share }: RunOptions) {
  if (fleet === undefined && share === undefined) return undefined
  if (fleet === undefined || share === undefined)
    return yield* badUsage(
      "--fleet and --share must be given together: the fleet's Redis and what its machines share"
    )
  const { openShare } = yield* Effect.promise(() => import("../batch/FleetShare.ts"))
  const opened = yield* openShare(share, "coordinator")
  return {
    share: opened,
    connect: Effect.fnUntraced(function* (plan: BatchPlan) {
      const { fleetFor } = yield* Effect.promise(() => import("../batch/FleetExecutor.ts"))
      return yield* fleetFor(fleet, opened, plan)
    })
  }
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
    const { notifyRunEnd } = yield* Effect.promise(() => import("../nightly/Notification.ts"))
    yield* notifyRunEnd(notify, manifest, report)
  }
  if (!options.json) yield* Effect.forEach(report.warnings, (warning) => screen.say(`warning: ${warning}`))
  yield* screen.result(
    options.json
      ? JSON.stringify(report, null, 2)
      : summaryText(result, out, process.cwd(), options.verbose, screen.look)
  )
  if (halt !== undefined && !isServiceFault(halt.reason))
    return yield* new CommandEnded({ code: exitCodes.stopped, message: halt.words })
  if (unwritten !== undefined)
    return yield* new CommandEnded({ code: exitCodes.failed, message: unwritten.message })
  const undone = jobs.filter(({ status }) => status !== "delivered")
  if (undone.length > 0)
    return yield* new CommandEnded({
      code: exitCodes.failed,
      message: `${undone.length} of ${jobs.length} jobs not delivered: ${undone.map(({ job }) => job.id).join(", ")}`
    })
})
