/**
 * A run's observations of the service: whether it responds, how long its tasks and its audio take, whether it repeats
 * labels.
 */
import { Duration, Effect } from "effect"
import { steadyMillis } from "../../../domain/time/SteadyTime.ts"
import type { ProviderId } from "../../../domain/values/Ids.ts"
import { Gateway } from "../../../gateway/Gateway.ts"
import { LatencyEstimator, type SettledTask } from "../../../gateway/requests/Polling.ts"
import { lengthClass } from "../../../store/tables/Estimates.ts"
import { Progress } from "../../Progress.ts"
import { SpeakConfig } from "../SpeakSettings.ts"
import { SpeakCounters } from "./SpeakCounters.ts"
import { StopSignal } from "./StopSignal.ts"

/** How often the run checks whether its patience has run out. */
const watchEvery = Duration.seconds(5)

/** Milliseconds without a success after which the service is pinged. */
const quiet = 30_000

/** Time without audio, or requested wait, after which a warning is printed. */
export const wordAfter = Duration.seconds(15)

/** Why a fetch takes long, unless the service asked for a wait. */
const noAudioYet = `its audio has not arrived after ${Duration.format(wordAfter)}; a stalled download is retried`

/** Watches the service, and stops the run when its patience has run out or its deadline has passed. */
export class ServiceWatch extends Effect.Service<ServiceWatch>()("pipeline/ServiceWatch", {
  scoped: Effect.gen(function* () {
    const patience = Duration.toMillis((yield* SpeakConfig).patience)
    /** The patience, or longer if the service asks once for a longer wait. */
    let allowed = patience
    const { stop, punctual } = yield* StopSignal
    const { warnSlow } = yield* SpeakCounters
    const gateway = yield* Gateway
    const progress = yield* Progress
    const clock = yield* Effect.clock
    // The steady time: patience must not change if the time of day is set.
    const now = () => steadyMillis(clock)
    const latencies = new Map<string, LatencyEstimator>()
    const fetches = new Set<{ readonly label: string; readonly since: number; why: string }>()
    let lastSuccess = now()
    let isResting = false
    let toldOf: number | undefined
    let echoes: boolean | undefined
    let isListed = false
    const slowProviders = new Set<ProviderId>()
    const startedAt = clock.unsafeCurrentTimeMillis()

    const probe = Effect.flatMap(Effect.either(gateway.ping), (answer) => {
      if (answer._tag === "Right") return Effect.succeed(true)
      if (toldOf === lastSuccess) return Effect.succeed(false)
      toldOf = lastSuccess
      const message = `${answer.left.message}; the run retries, and stops after ${Duration.format(patience)} without a success`
      return Effect.as(progress.emit({ _tag: "Warning", message }), false)
    })

    const watch = Effect.suspend(() =>
      now() - lastSuccess < allowed
        ? Effect.when(probe, () => toldOf !== lastSuccess && now() - lastSuccess > quiet)
        : stop({
            reason: "unreachable",
            words: `no request succeeded for ${Duration.format(allowed)}; all work is saved; run again when the service is back`
          })
    )
    const overdue = Effect.suspend(() => {
      const slow = [...fetches].find(({ since }) => now() - since >= Duration.toMillis(wordAfter))
      return slow === undefined ? Effect.void : warnSlow(`${slow.label}: ${slow.why}`)
    })
    yield* Effect.unless(Effect.all([punctual, overdue, watch], { discard: true }), () => isResting).pipe(
      Effect.delay(watchEvery),
      Effect.forever,
      Effect.forkScoped
    )

    return {
      /** Records a success and so restarts the patience timer. */
      alive: (): void => {
        lastSuccess = now()
        allowed = patience
        isResting = false
      },
      /** Has patience with a wait that the service asks for, and a minute after it; not with a second one. */
      asked: (wait: Duration.Duration): void => {
        if (allowed === patience)
          allowed = Math.max(patience, now() - lastSuccess + Duration.toMillis(wait) + 60_000)
      },
      /** Stops watching until the next success: nothing is asked of the service meanwhile. */
      rest: (): void => {
        isResting = true
      },
      /** Pings the service. A failure is reported once per outage. */
      probe,
      /** Runs a fetch. If it takes long, a warning gives the reason for the wait. */
      timed: <A, E, R>(label: string, fetch: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          const running = { label, since: now(), why: noAudioYet }
          const started = Effect.suspend(() => {
            fetches.add(running)
            return fetch
          })
          return Effect.ensuring(
            started,
            Effect.sync(() => fetches.delete(running))
          )
        }),
      /** Names the reason why a fetch takes long. */
      explain: (label: string, why: string): void => {
        for (const fetch of fetches) if (fetch.label === label) fetch.why = why
      },
      /** Learns how long a task of this length took at a provider; returns the estimate in milliseconds. */
      latency: (provider: ProviderId, characters: number, settled: SettledTask): number => {
        const name = lengthClass(provider, characters)
        const times = latencies.get(name) ?? new LatencyEstimator()
        latencies.set(name, times)
        return times.learnedFrom(settled, now())
      },
      /** When the run began, in milliseconds since 1970. */
      startedAt,
      /** Whether this is the first call for a provider, whose tasks take far longer than usual. */
      firstSlow: (provider: ProviderId): boolean => slowProviders.size < slowProviders.add(provider).size,
      /** Whether the service's history was seen to list our labels: only then a label can be missing from it. */
      listsLabels: () => isListed,
      sawListedLabels: (): void => {
        isListed = true
      },
      /** Whether the service repeats labels; undefined until observed. */
      echoesLabels: () => echoes,
      /** Records whether a response repeated labels. A single response that did is proof. */
      sawLabels: (echoed: boolean): void => {
        echoes = echoes === true || echoed
      }
    }
  })
}) {}
