/** The main job, and the second chance for what failed in it. */
import { Path } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Clock, Effect, Layer } from "effect"
import { dub, type DubResult } from "../pipeline/Dub.ts"
import type { BatchPlan } from "../pipeline/Plan.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"
import { counted } from "./BoardText.ts"
import { type BatchOptions, planOf } from "./BatchFlags.ts"
import { ffmpeg, gatewayTo } from "./Connect.ts"
import { nextAt, type TimeOfDay } from "./Deadline.ts"
import { Ended, exitCodes } from "./Ended.ts"
import { openLog } from "./LogFile.ts"
import { notify } from "./Notify.ts"
import { priced, pricesOf } from "./Prices.ts"
import { summaryText } from "./RunSummary.ts"
import { Screen } from "./Screen.ts"
import { writing } from "./State.ts"
import { watching } from "./Watch.ts"

export interface RunOptions extends BatchOptions {
  readonly deadline: TimeOfDay | undefined
  readonly log: string | undefined
  readonly maxCredits: number | undefined
  readonly events: boolean
}

export const run = (options: RunOptions) => made(options, () => Effect.void)

export const retry = (options: RunOptions) =>
  made(options, ({ utterances }) =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const screen = yield* Screen
      const revived = yield* store.revive(
        utterances.map(({ key }) => key),
        "all"
      )
      yield* screen.say(`${counted(revived.length, "failed utterance")} to be tried again`)
    })
  )

/** Plans and runs a batch, with something done to its state in between. */
const made = <E>(
  options: RunOptions,
  first: (plan: BatchPlan) => Effect.Effect<void, E, UtteranceStore | Screen>
) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const screen = yield* Screen
    if (options.log !== undefined) yield* screen.logTo(yield* openLog(options.log))
    const deadline =
      options.deadline === undefined ? undefined : nextAt(options.deadline, new Date(yield* now))
    const planned = yield* planOf(options)
    // A limit can only be kept where a price is known before the first task.
    const plan = options.maxCredits === undefined ? planned : priced(planned, yield* pricesOf(planned))
    const { batch } = plan
    const service = gatewayTo(batch.service, path.join(batch.state, "service"))
    const result = yield* Effect.zipRight(
      first(plan),
      dub(plan, service, { maxCredits: options.maxCredits, deadline })
    ).pipe(Effect.scoped, Effect.provide(Layer.merge(writing(batch.state), watching(options))))
    if (batch.notify !== undefined) {
      yield* Effect.provide(notify(batch.notify, batch.manifest, result.report), NodeHttpClient.layerUndici)
    }
    yield* tell(result, batch.out, options)
  }).pipe(Effect.provide(ffmpeg))

const now = Clock.currentTimeMillis

const tell = Effect.fnUntraced(function* (result: DubResult, out: string, options: RunOptions) {
  const screen = yield* Screen
  const { report, jobs, halt } = result
  if (!options.json) yield* Effect.forEach(report.warnings, (warning) => screen.say(`warning: ${warning}`))
  yield* screen.result(
    options.json ? JSON.stringify(report, null, 2) : summaryText(result, out, process.cwd(), screen.look)
  )
  if (halt !== undefined && halt.reason !== "unreachable") {
    return yield* new Ended({ code: exitCodes.stopped, message: halt.words })
  }
  const undone = jobs.filter(({ status }) => status !== "delivered")
  if (undone.length > 0) {
    return yield* new Ended({
      code: exitCodes.failed,
      message: `${undone.length} of ${jobs.length} jobs not delivered: ${undone.map(({ plan }) => plan.job.id).join(", ")}`
    })
  }
})
