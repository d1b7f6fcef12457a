/** The `status` and `clean` commands. */
import { Path } from "@effect/platform"
import { type Duration, Effect, Layer } from "effect"
import { cleanClips, cleanRemote } from "../../pipeline/run/Cleanup.ts"
import { silent } from "../../pipeline/Progress.ts"
import { statusOf, unplannedJobs } from "../../pipeline/run/BatchStatus.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { type BatchOptions, loadBatchInput, printNotices } from "../batch/BatchInput.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { Screen } from "../terminal/Screen.ts"
import { readableStateLayer, writableStateLayer } from "../../store/tables/StateLayers.ts"
import { textTable } from "../terminal/TextTable.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { planBatch } from "../../pipeline/plan/BatchPlan.ts"
import { withBilingualNotices } from "../../pipeline/plan/BilingualNotices.ts"

export const statusCommand = Effect.fn("StateCommands.statusCommand")(function* (options: BatchOptions) {
  const screen = yield* Screen
  const batch = yield* loadBatchInput(options)
  const jobs = yield* statusOf(batch).pipe(
    Effect.provide(readableStateLayer(batch.state)),
    Effect.catchIf(
      (fault) => fault.reason === "missing",
      () => Effect.succeed(unplannedJobs(batch))
    )
  )
  yield* screen.result(
    options.json
      ? JSON.stringify({ manifest: batch.manifest, state: batch.state, jobs }, null, 2)
      : textTable(
          ["job", "delivered", "utterances", "done", "in flight", "failed", "left"],
          jobs.map((job) => [
            job.id,
            job.delivered ? "yes" : "no",
            job.utterances,
            job.done,
            job.underWay,
            job.failed,
            job.left
          ]),
          screen.look
        )
  )
  if (jobs.every(({ utterances }) => utterances === 0))
    yield* screen.say(
      `this batch has not been run with the state folder ${batch.state}; run it, or pass its folder with --state`
    )
  if (jobs.some(({ failed }) => failed > 0))
    yield* screen.say("see each job's report.json for the reasons; use dubwright retry to retry failed lines")
})

export interface CleanOptions extends BatchOptions {
  readonly remote: boolean
  readonly olderThan: Duration.Duration | undefined
}

export const cleanCommand = (options: CleanOptions) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const screen = yield* Screen
    const plan = yield* Effect.flatMap(loadBatchInput(options), (batch) => planBatchInput(batch, options))
    const { batch } = plan
    yield* Effect.gen(function* () {
      const removed = yield* cleanClips(plan, options.olderThan)
      const deleted = options.remote
        ? yield* cleanRemote(plan).pipe(
            Effect.provide(gatewayTo(batch.service, path.join(batch.state, "service")))
          )
        : undefined
      yield* screen.result(
        options.json
          ? JSON.stringify({ ...removed, ...(deleted === undefined ? {} : { tasks: deleted }) }, null, 2)
          : `removed ${formatCount(removed.utterances, "clip")}, ${(removed.bytes / 1e6).toFixed(1)} MB` +
              (deleted === undefined ? "" : `; deleted ${formatCount(deleted, "task")} on the service`)
      )
    }).pipe(Effect.provide(Layer.merge(writableStateLayer(batch.state), silent)))
  }).pipe(Effect.provide(ffmpegFromEnvironment))

/** Plans a batch. Prints the repairs and skipped parts of the scripts on stderr. */
const planBatchInput = Effect.fn("StateCommands.planBatchInput")(function* (
  batch: Batch,
  options: BatchOptions
) {
  const plan = withBilingualNotices(yield* planBatch(batch))
  yield* printNotices(plan, options)
  return plan
})
