/** Plans and runs a batch. Loaded lazily: an unchanged batch never gets here. */
import { Clock, Effect } from "effect"
import { withRefusals } from "../../fleet/shared/FleetErrors.ts"
import { runPlanned } from "../../library/batch/PlannedRun.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchOptions } from "./BatchInput.ts"
import { planBatchInput } from "./PlannedBatch.ts"
import { commandService } from "../layers/GatewayLayer.ts"
import { nextAt, type TimeOfDay } from "./Deadline.ts"
import { badUsage } from "../ExitCodes.ts"
import type { Screen } from "../terminal/Screen.ts"
import { progressDisplay } from "../terminal/ProgressDisplay.ts"
import { localExecutor } from "../../pipeline/run/RunExecutor.ts"

export interface FreshRunOptions extends BatchOptions {
  readonly maxCredits: number | undefined
  readonly deadline: TimeOfDay | undefined
  readonly events: boolean
  readonly fleet: string | undefined
  readonly share: string | undefined
}

/** A step that changes the batch's state before the run. */
export type First<E> = (plan: BatchPlan) => Effect.Effect<void, E, UtteranceStore | Screen>

/** Plans and runs a batch; `sources` is the digest of its files when it was loaded. */
export const planAndRun = Effect.fnUntraced(function* <E>(
  batch: Batch,
  sources: string,
  options: FreshRunOptions,
  first: First<E>
) {
  const { maxCredits } = options
  const now = new Date(yield* Clock.currentTimeMillis)
  const deadline = options.deadline === undefined ? undefined : nextAt(options.deadline, now)
  const plan = yield* planBatchInput(batch, options)
  const { clips: sharedClips, executor } = yield* fleetOf(options, plan)
  return yield* runPlanned(plan, { sources, maxCredits, deadline, executor, sharedClips, first }).pipe(
    withRefusals,
    Effect.provide([progressDisplay(options), commandService(options)])
  )
})

/** The fleet named by the options, whose code is loaded only then; without one, this process does all work. */
const fleetOf = Effect.fnUntraced(function* ({ fleet, share }: FreshRunOptions, plan: BatchPlan) {
  if (fleet === undefined && share === undefined)
    return { clips: undefined, executor: Effect.succeed(localExecutor) }
  if (fleet === undefined || share === undefined) {
    return yield* badUsage(
      "--fleet and --share must be given together: the fleet's Redis and its shared folder"
    )
  }
  const { fleetFor } = yield* Effect.promise(() => import("./FleetExecutor.ts"))
  return yield* fleetFor(fleet, share, plan)
})
