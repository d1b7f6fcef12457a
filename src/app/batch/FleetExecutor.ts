/** Connects a run to a fleet: checks its preconditions and makes the executor that dispatches the work. */
import { Clock, Context, Effect, Layer, Option, Redacted, Runtime } from "effect"
import { fleetExecutor } from "../../fleet/coordinator/Coordinator.ts"
import { connectRedis } from "../../fleet/shared/Redis.ts"
import { Share } from "../../fleet/shared/Share.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentFleetPassword } from "../layers/Environment.ts"
import type { NamedShare } from "./FleetShare.ts"

/** Prepares an executor for the fleet at the Redis URL `address`. */
export const fleetFor = Effect.fnUntraced(function* (
  address: string,
  { layer }: NamedShare,
  plan: BatchPlan
) {
  if (plan.batch.service === "embedded")
    return yield* badUsage(
      "--fleet: workers cannot reach the bundled service, which runs in this process; start one with dubwright serve and pass its URL with --base-url"
    )
  const context = yield* Layer.build(layer)
  const outside = outsideOf(Context.get(context, Share), plan)
  if (outside !== undefined) return yield* badUsage(outside)
  return {
    executor: Effect.provide(
      Effect.flatMap(connectFleet(address), (redis) => fleetExecutor(redis, plan)),
      context
    )
  }
})

/** Returns an error message if the output folder or a video is outside the shared folder. */
const outsideOf = ({ name, files }: Share["Type"], { batch, jobs }: BatchPlan): string | undefined => {
  if (!files.holds(batch.out))
    return `--out ${batch.out}: is outside the fleet's shared folder ${name}, so workers cannot write there; choose a folder inside it`
  const video = jobs.find(({ job }) => job.video !== undefined && !files.holds(job.video.path))?.job
  return video?.video === undefined
    ? undefined
    : `job ${video.id}: video ${video.video.name}: is outside the fleet's shared folder ${name}, so workers cannot read it; move it there`
}

/** Connects to the fleet's Redis; its warnings are printed on stderr. */
export const connectFleet = (address: string) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const fork = Runtime.runFork(yield* Effect.runtime())
    const printLine = (line: string) =>
      void fork(Effect.flatMap(Clock.currentTimeMillis, (now) => screen.say(line, now)))
    const password = Option.map(yield* environmentFleetPassword, Redacted.value)
    const redis = yield* connectRedis(address, Option.getOrUndefined(password), printLine)
    yield* Effect.forEach(redis.warnings, (warning) => screen.say(`warning: ${warning}`), { discard: true })
    return redis
  })
