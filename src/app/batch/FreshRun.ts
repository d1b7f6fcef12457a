/** A batch planned and run: the usual way, of which a run with nothing to do loads nothing. */
import { Path } from "@effect/platform"
import { Clock, Effect, Layer } from "effect"
import { withRefusals } from "../../fleet/shared/FleetErrors.ts"
import { dub } from "../../pipeline/Dub.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchOptions } from "./BatchInput.ts"
import { planBatchInput } from "./PlannedBatch.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { nextAt, type TimeOfDay } from "./Deadline.ts"
import { badUsage } from "../ExitCodes.ts"
import { withPrices, pricesOf } from "./Prices.ts"
import type { Screen } from "../terminal/Screen.ts"
import { writableStateLayer } from "../layers/StateLayers.ts"
import { progressDisplay } from "../terminal/ProgressDisplay.ts"

export interface FreshRunOptions extends BatchOptions {
  readonly maxCredits: number | undefined
  readonly deadline: TimeOfDay | undefined
  readonly events: boolean
  readonly fleet: string | undefined
  readonly share: string | undefined
}

/** Something that is done to a batch's state before it is run. */
export type First<E> = (plan: BatchPlan) => Effect.Effect<void, E, UtteranceStore | Screen>

/** Plans and runs a batch, whose files held `sources` when it was loaded. */
export const planAndRun = Effect.fnUntraced(function* <E>(
  batch: Batch,
  sources: string,
  options: FreshRunOptions,
  first: First<E>
) {
  const path = yield* Path.Path
  const { maxCredits } = options
  const now = new Date(yield* Clock.currentTimeMillis)
  const deadline = options.deadline === undefined ? undefined : nextAt(options.deadline, now)
  const planned = yield* planBatchInput(batch, options)
  // A limit can only be kept where a price is known before the first task.
  const plan = maxCredits === undefined ? planned : withPrices(planned, yield* pricesOf(planned))
  const service = gatewayTo(batch.service, path.join(batch.state, "service"))
  const fleet = yield* fleetOf(options, plan)
  return yield* Effect.gen(function* () {
    yield* first(plan)
    const crew = (yield* fleet.crew) ?? undefined
    return yield* dub(plan, service, { maxCredits, deadline, sources, crew })
  }).pipe(
    withRefusals,
    Effect.scoped,
    Effect.provide(Layer.merge(writableStateLayer(batch.state, fleet.clips), progressDisplay(options)))
  )
})

/** The fleet that the options name, loaded only where they do; else nobody but this process. */
const fleetOf = Effect.fnUntraced(function* ({ fleet, share }: FreshRunOptions, plan: BatchPlan) {
  if (fleet === undefined && share === undefined) return { clips: undefined, crew: Effect.void }
  if (fleet === undefined || share === undefined) {
    return yield* badUsage("--fleet and --share go together: where the fleet meets, and the folder it shares")
  }
  const { fleetFor } = yield* Effect.promise(() => import("./FleetExecutor.ts"))
  return yield* fleetFor(fleet, share, plan)
})
