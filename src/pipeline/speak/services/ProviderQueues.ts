/** The queues of a run's providers. */
import { Effect } from "effect"
import type { ProviderId } from "../../../domain/values/Ids.ts"
import type { CallFault } from "../../../gateway/GatewayErrors.ts"
import { type ProviderQueue, makeProviderQueue } from "../../../gateway/pacing/ProviderQueue.ts"
import { Progress } from "../../Progress.ts"
import { SpeakConfig } from "../SpeakSettings.ts"
import { ServiceWatch } from "./ServiceWatch.ts"

/** Limits each provider's tasks in flight and starts per second; slows down and stops as the service demands. */
export class ProviderQueues extends Effect.Service<ProviderQueues>()("pipeline/ProviderQueues", {
  scoped: Effect.gen(function* () {
    const { profileOf } = yield* SpeakConfig
    const { probe } = yield* ServiceWatch
    const progress = yield* Progress
    const clock = yield* Effect.clock
    const scope = yield* Effect.scope
    const queues = new Map<ProviderId, ProviderQueue>()
    const queueOf = (provider: ProviderId): ProviderQueue => {
      const { concurrency, perSecond } = profileOf(provider)
      const queue = queues.get(provider) ?? makeProviderQueue({ concurrency, perSecond }, probe, scope, clock)
      queues.set(provider, queue)
      return queue
    }
    /** Emits the state of a provider queue after it was slowed down. */
    const paced = (provider: ProviderId) => {
      const { inFlight, limit, pausedFor } = queueOf(provider).status()
      return progress.emit({
        _tag: "ProviderPaced",
        provider,
        inFlight,
        limit,
        waitingSeconds: pausedFor / 1000
      })
    }
    return {
      /** Runs work in one of a provider's slots. Higher priorities run first. */
      inSlot: <A, E, R>(provider: ProviderId, work: Effect.Effect<A, E, R>, priority: number) =>
        Effect.suspend(() => queueOf(provider).inSlot(work, priority)),
      /** Waits until a create may be sent, or until `stopped`. */
      clearance: (provider: ProviderId, stopped: Effect.Effect<void>): Effect.Effect<void> =>
        Effect.suspend(() => {
          const queue = queueOf(provider)
          return queue.isClear() ? Effect.void : Effect.raceFirst(queue.clearance, stopped)
        }),
      /** Reports the result of a create. */
      report: (provider: ProviderId, how: "taken" | CallFault): Effect.Effect<void> =>
        Effect.suspend(() => {
          const reported = queueOf(provider).report(how)
          return how !== "taken" && how._tag === "SlowDown"
            ? Effect.zipRight(
                reported,
                Effect.suspend(() => paced(provider))
              )
            : reported
        })
    }
  })
}) {}
