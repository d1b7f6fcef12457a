/** A run whose work is handed to a fleet: what must be so for that, and the crew that hands it out. */
import { resolve } from "node:path"
import { Clock, Effect, Option, Redacted, Runtime } from "effect"
import { fleetExecutor } from "../../fleet/coordinator/Coordinator.ts"
import { connectRedis } from "../../fleet/shared/Redis.ts"
import { openSharedFolder, type SharedFolder } from "../../fleet/shared/SharedFolder.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentFleetPassword } from "../layers/Environment.ts"

/** The fleet at an address, with its shared folder, for a batch. */
export const fleetFor = Effect.fnUntraced(function* (address: string, folder: string, plan: BatchPlan) {
  if (plan.batch.service === "embedded") {
    return yield* badUsage(
      "--fleet needs a service that every worker reaches: start one with dubwright serve and name it with --base-url; the bundled one is this process's own"
    )
  }
  const share = yield* openSharedFolder(resolve(folder))
  const outside = outsideOf(share, plan)
  if (outside !== undefined) return yield* badUsage(outside)
  return {
    clips: share.clips,
    crew: Effect.flatMap(connectFleet(address), (redis) => fleetExecutor(redis, share))
  }
})

/** What of a batch the workers could not reach, in words. */
const outsideOf = (share: SharedFolder, { batch, jobs }: BatchPlan): string | undefined => {
  if (!share.holds(batch.out)) {
    return `--out ${batch.out}: lies outside of the fleet's folder ${share.root}, where its workers could not write it; name one inside with --out`
  }
  const video = jobs.find(({ job }) => job.video !== undefined && !share.holds(job.video.path))?.job
  return video?.video === undefined
    ? undefined
    : `job ${video.id}: video ${video.video.name}: lies outside of the fleet's folder ${share.root}, where its workers could not read it; put it there`
}

/** A fleet's Redis, with what is amiss with it told on stderr. */
export const connectFleet = (address: string) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const fork = Runtime.runFork(yield* Effect.runtime())
    const told = (line: string) =>
      void fork(Effect.flatMap(Clock.currentTimeMillis, (now) => screen.say(line, now)))
    const password = Option.map(yield* environmentFleetPassword, Redacted.value)
    const redis = yield* connectRedis(address, Option.getOrUndefined(password), told)
    yield* Effect.forEach(redis.warnings, (warning) => screen.say(`warning: ${warning}`), { discard: true })
    return redis
  })
