/** State shared by all utterances of one run: provider queues, spending, stop conditions, counters. */
import { Deferred, Duration, Effect, type Fiber, Runtime, Scope } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { type ProviderQueue, makeProviderQueue } from "../../gateway/pacing/ProviderQueue.ts"
import { LatencyEstimator } from "../../gateway/requests/LatencyEstimator.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Estimates, lengthClass } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { Progress } from "../Progress.ts"
import { makeMoney, type SpeakMoney } from "./RunSpending.ts"
import type { Halt, SpeakSettings, SpeakSummary } from "./SpeakSettings.ts"
import { type Counts, SpeakTally } from "./SpeakTally.ts"

/** Services that a run needs. */
export type RunNeeds = UtteranceStore | ClipFolder | Estimates | Gateway | Progress

/** Those services, resolved once for all utterances. */
export interface SpeakParts {
  readonly store: UtteranceStore
  readonly clips: ClipFolder
  readonly gateway: Gateway
  readonly learned: Estimates
  readonly progress: Progress["Type"]
}

/** A create whose response was lost. */
interface Loss {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Credits that stay reserved for it. */
  readonly cost: number
}

/** A run. */
export interface SpeakRun extends SpeakParts, SpeakMoney {
  readonly settings: SpeakSettings
  readonly counts: Counts
  /** Returns a provider's queue and creates it on first use. Not safe to call concurrently for the same provider. */
  readonly queueOf: (provider: ProviderId) => Effect.Effect<ProviderQueue>
  /** Starts work that continues if the calling fiber is interrupted. */
  readonly apart: <A, E>(work: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  /** Stops creates. The first reason given is kept. */
  readonly stop: (halt: Halt) => Effect.Effect<void>
  readonly halted: () => Halt | undefined
  /** Stops the run if its deadline has passed. */
  readonly punctual: Effect.Effect<void>
  /** Waits until the run is stopped. */
  readonly stopped: Effect.Effect<void>
  /** Uses up one of the run's new takes for bad audio. Returns false if none is left. */
  readonly reroll: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Records a success and so restarts the patience timer. */
  readonly alive: () => void
  /** Returns the estimator of completion times for a provider and text length. */
  readonly settleTimes: (provider: ProviderId, characters: number) => LatencyEstimator
  /** Creates of this run without a usable response, until it is known whether they made a task. */
  readonly unanswered: Map<UtteranceKey, Loss>
  /** Utterances whose tasks an earlier run created and whose audio is still to be fetched. */
  readonly earlier: Set<UtteranceKey>
  /** Whether the service repeats labels; undefined until observed. */
  readonly echoes: { seen: boolean | undefined }
  /** Time of the last warning about slow audio, in milliseconds since 1970. */
  readonly slowAudio: { reportedAt: number }
  readonly warn: (message: string) => Effect.Effect<void>
  readonly retrying: (
    provider: ProviderId,
    utterance: UtteranceKey,
    why: string,
    wait: Duration.Duration
  ) => Effect.Effect<void>
  readonly summary: () => SpeakSummary
}

/** How often the run checks whether its patience has run out. */
const watchEvery = Duration.seconds(5)

/** Milliseconds without a success after which the service is pinged. */
const quiet = 30_000

/** Starts a run of `utterances` utterances, for the lifetime of the scope. */
export const makeSpeakRun = (
  settings: SpeakSettings,
  utterances = settings.keys.length
): Effect.Effect<SpeakRun, never, RunNeeds | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const clips = yield* ClipFolder
    const gateway = yield* Gateway
    const learned = yield* Estimates
    const progress = yield* Progress
    const scope = yield* Effect.scope
    const clock = yield* Effect.clock
    const apart = Runtime.runFork(yield* Effect.runtime())
    const now = () => clock.unsafeCurrentTimeMillis()
    const stopSignal = yield* Deferred.make<void>()
    const queues = new Map<ProviderId, ProviderQueue>()
    const settleTimes = new Map<string, LatencyEstimator>()
    const { counts, warnings } = settings.tally ?? new SpeakTally()
    const unanswered = new Map<UtteranceKey, Loss>()
    const patience = Duration.decode(settings.patience)
    let halt: Halt | undefined
    let rerolls = Math.max(3, Math.ceil(utterances * settings.rerolls))
    let lastSuccess = now()
    let toldOf: number | undefined
    /** Pings the service. A failure is reported once per outage. */
    const inOrder = Effect.flatMap(Effect.either(gateway.ping), (answer) => {
      if (answer._tag === "Right") return Effect.succeed(true)
      if (toldOf === lastSuccess) return Effect.succeed(false)
      toldOf = lastSuccess
      const message = `${answer.left.message}; the run retries, and stops after ${Duration.format(patience)} without a success`
      return Effect.as(progress.emit({ _tag: "Warning", message }), false)
    })

    const stop = (reason: Halt): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (halt !== undefined) return Effect.void
        halt = reason
        return Effect.zipRight(
          Deferred.succeed(stopSignal, undefined),
          progress.emit({ _tag: "Stopping", why: reason.words })
        )
      })

    const { deadline } = settings
    const punctual =
      deadline === undefined
        ? Effect.void
        : Effect.suspend(() =>
            now() < deadline.at
              ? Effect.void
              : stop({
                  reason: "deadline",
                  words: `the deadline of ${deadline.words} has passed; in-flight tasks will finish; run again to continue`
                })
          )
    const watch = Effect.suspend(() =>
      now() - lastSuccess < Duration.toMillis(patience)
        ? Effect.when(inOrder, () => toldOf !== lastSuccess && now() - lastSuccess > quiet)
        : stop({
            reason: "unreachable",
            words: `no request succeeded for ${Duration.format(patience)}; all work is saved; run again when the service is back`
          })
    )
    yield* punctual
    yield* Effect.zipRight(punctual, watch).pipe(Effect.delay(watchEvery), Effect.forever, Effect.forkScoped)

    const warn = (message: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (warnings.has(message)) return Effect.void
        warnings.add(message)
        return progress.emit({ _tag: "Warning", message })
      })

    const money = yield* makeMoney({
      settings,
      gateway,
      learned,
      counts,
      warn,
      stop,
      halted: () => halt
    })

    return {
      store,
      clips,
      gateway,
      learned,
      progress,
      settings,
      counts,
      ...money,
      queueOf: (provider) =>
        Effect.suspend(() => {
          const known = queues.get(provider)
          if (known !== undefined) return Effect.succeed(known)
          const { concurrency, perSecond } = settings.profileOf(provider)
          return Effect.map(
            Scope.extend(makeProviderQueue({ concurrency, perSecond }, inOrder), scope),
            (queueOf) => {
              queues.set(provider, queueOf)
              return queueOf
            }
          )
        }),
      apart,
      stop,
      halted: () => halt,
      punctual,
      stopped: Deferred.await(stopSignal),
      reroll: () => rerolls-- > 0,
      now,
      alive: () => {
        lastSuccess = now()
      },
      settleTimes: (provider, characters) => {
        const name = lengthClass(provider, characters)
        const times = settleTimes.get(name) ?? new LatencyEstimator()
        settleTimes.set(name, times)
        return times
      },
      unanswered,
      earlier: new Set(),
      echoes: { seen: undefined },
      slowAudio: { reportedAt: -Infinity },
      warn,
      retrying: (provider, utterance, why, wait) =>
        Effect.suspend(() => {
          counts.retried++
          return progress.emit({
            _tag: "Retrying",
            provider,
            utterance,
            why,
            inSeconds: Duration.toSeconds(wait)
          })
        }),
      summary: () => ({
        ...counts,
        credits: unanswered.size > 0 ? undefined : money.budget.total(),
        halt,
        warnings: Array.from(warnings)
      })
    }
  })
