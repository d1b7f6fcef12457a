/** The main job, and the second chance for what failed in it. */
import { Path } from "@effect/platform"
import { Effect, Layer } from "effect"
import { dub, type DubResult } from "../pipeline/Dub.ts"
import type { BatchPlan } from "../pipeline/Plan.ts"
import { type BatchOptions, planOf } from "./BatchFlags.ts"
import { ffmpeg, gatewayTo } from "./Connect.ts"
import { Ended, exitCodes } from "./Ended.ts"
import { summaryText } from "./RunSummary.ts"
import { Screen } from "./Screen.ts"
import { writing } from "./State.ts"
import { watching } from "./Watch.ts"

export interface RunOptions extends BatchOptions {
  readonly maxCredits: number | undefined
  readonly events: boolean
}

export const run = (options: RunOptions) =>
  Effect.flatMap(planOf(options), (plan) => dubbed(plan, options)).pipe(Effect.provide(ffmpeg))

const dubbed = Effect.fn("RunCommand.dubbed")(function* (plan: BatchPlan, options: RunOptions) {
  const path = yield* Path.Path
  const { batch } = plan
  const result = yield* dub(plan, gatewayTo(batch.service, path.join(batch.state, "service")), {
    maxCredits: options.maxCredits
  }).pipe(Effect.provide(Layer.merge(writing(batch.state), watching(options))), Effect.scoped)
  yield* tell(result, options)
})

const tell = Effect.fnUntraced(function* (result: DubResult, options: RunOptions) {
  const screen = yield* Screen
  const { report, jobs, halt } = result
  if (!options.json) yield* Effect.forEach(report.warnings, (warning) => screen.say(`warning: ${warning}`))
  yield* screen.result(
    options.json ? JSON.stringify(report, null, 2) : summaryText(result, process.cwd(), screen.colour)
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
