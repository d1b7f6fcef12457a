/** The `worker` command: runs a fleet worker until it is stopped. */
import { hostname } from "node:os"
import { Clock, Effect, Layer, Option } from "effect"
import { withRefusals } from "../../fleet/shared/FleetErrors.ts"
import type { Role } from "../../fleet/shared/WorkerRoles.ts"
import { runWorker } from "../../fleet/worker/Worker.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { badUsage } from "../ExitCodes.ts"
import { connectFleet } from "../batch/FleetExecutor.ts"
import { openShare } from "../batch/FleetShare.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentBaseUrl, environmentKey } from "../layers/Environment.ts"

export interface WorkerCommandOptions {
  readonly fleet: string
  readonly share: string
  readonly roles: ReadonlyArray<Role>
  readonly baseUrl: string | undefined
  readonly name: string | undefined
  readonly concurrency: number | undefined
  readonly takeover: number | undefined
  readonly cache: string | undefined
  readonly cacheSize: number | undefined
  readonly quiet: boolean
}

export const workerCommand = (options: WorkerCommandOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.roles.includes("speak") && Option.isNone(yield* environmentKey))
      return yield* badUsage(
        "DUBWRIGHT_API_KEY is not set; a worker that speaks needs the service's key (or use --roles deliver)"
      )
    const share = yield* openShare(options.share, "worker", options.cache, options.cacheSize)
    const context = yield* Layer.build(share.layer)
    const redis = yield* connectFleet(options.fleet)
    // With its own service URL, the worker sends the key only there, whatever the batches say.
    const own = options.baseUrl ?? Option.getOrUndefined(yield* environmentBaseUrl)
    return yield* runWorker({
      client: redis.client,
      reach: (service) => gatewayTo({ ...service, baseUrl: own ?? service.baseUrl }, ""),
      roles: options.roles,
      name: options.name ?? `${hostname()}-${process.pid}`,
      concurrency: options.concurrency ?? 64,
      takeover: (options.takeover ?? 5) * 1_000,
      printLine: (line) =>
        options.quiet ? Effect.void : Effect.flatMap(Clock.currentTimeMillis, (now) => screen.say(line, now))
    }).pipe(Effect.provide(context))
  }).pipe(Effect.scoped, withRefusals, Effect.provide(ffmpegFromEnvironment))
