/** What the utterances of one run share: the lanes, the money, the reasons to stop, the counts. */
import { Clock, Deferred, Duration, Effect, type Scope } from "effect"
import type { Casting } from "../domain/Casting.ts"
import type { ProviderId, UtteranceKey } from "../domain/Ids.ts"
import type { Fault } from "../gateway/Fault.ts"
import { Gateway } from "../gateway/Gateway.ts"
import { type Lane, makeLane } from "../gateway/Lane.ts"
import { Learned } from "../store/Learned.ts"
import { Progress } from "./Progress.ts"
import type { Halt, SpeakSettings, SpeakSummary } from "./SpeakSettings.ts"

/** A run. */
export interface SpeakRun {
  readonly settings: SpeakSettings
  /** The lane of a provider, made when it is first asked for. */
  readonly lane: (provider: ProviderId) => Effect.Effect<Lane>
  /** Stops creates; the first reason stands. */
  readonly stop: (halt: Halt) => Effect.Effect<void>
  readonly halted: () => Halt | undefined
  /** Waits for the run to be stopped. */
  readonly stopped: Effect.Effect<void>
  /** Sets a create's credits aside; false where the limit would be passed. */
  readonly reserve: (casting: Casting, characters: number) => boolean
  /** Gives back what a create set aside and did not cost. */
  readonly release: (casting: Casting, characters: number) => void
  /** A create was taken: what it cost takes the place of what was set aside. */
  readonly paid: (casting: Casting, characters: number, credits: number | undefined) => Effect.Effect<void>
  /** Takes one new take for bad audio off the run's allowance; false where none is left. */
  readonly reroll: () => boolean
  /** Something worked: patience starts anew. */
  readonly alive: Effect.Effect<void>
  /** Whether the service repeats labels, as far as was seen. */
  readonly echoes: { seen: boolean | undefined }
  /** How many creates of one look are lost at present, so that none is taken for another. */
  readonly lost: Map<string, number>
  readonly count: (what: keyof Counts, by?: number) => void
  readonly warn: (message: string) => Effect.Effect<void>
  readonly retrying: (
    provider: ProviderId,
    utterance: UtteranceKey,
    fault: Fault | string,
    wait: Duration.Duration
  ) => Effect.Effect<void>
  readonly summary: () => SpeakSummary
}

/** What is counted. */
export interface Counts {
  created: number
  adopted: number
  reused: number
  retried: number
  failed: number
  left: number
  suspect: number
  characters: number
}

/** How often the run looks whether patience is at its end. */
const watchEvery = Duration.seconds(5)

/** Makes a run that lasts as long as the scope. */
export const makeRun = (
  settings: SpeakSettings
): Effect.Effect<SpeakRun, never, Gateway | Learned | Progress | Scope.Scope> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const learned = yield* Learned
    const progress = yield* Progress
    const scope = yield* Effect.scope
    const stopSignal = yield* Deferred.make<void>()
    const lanes = new Map<ProviderId, Lane>()
    const making = yield* Effect.makeSemaphore(1)
    const counts: Counts = {
      created: 0,
      adopted: 0,
      reused: 0,
      retried: 0,
      failed: 0,
      left: 0,
      suspect: 0,
      characters: 0
    }
    const warnings = new Set<string>()
    let halt: Halt | undefined
    let spent = 0
    let reserved = 0
    let pricesKnown = true
    let rerollsLeft = Math.max(3, Math.ceil(settings.keys.length * settings.rerolls))
    let lastSuccess = yield* Clock.currentTimeMillis
    const patience = Duration.toMillis(settings.patience)

    const priceOf = (casting: Casting): number | undefined =>
      settings.profileOf(casting.provider).creditsPerCharacter ?? learned.price(casting)?.mean

    const stop = (reason: Halt): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (halt !== undefined) return Effect.void
        halt = reason
        return Effect.zipRight(
          Deferred.succeed(stopSignal, undefined),
          progress.emit({ _tag: "Stopping", why: reason.words })
        )
      })

    const warn = (message: string) =>
      Effect.suspend(() => {
        if (warnings.has(message)) return Effect.void
        warnings.add(message)
        return progress.emit({ _tag: "Warning", message })
      })

    yield* Effect.gen(function* () {
      const silent = (yield* Clock.currentTimeMillis) - lastSuccess
      if (silent >= patience)
        yield* stop({
          reason: "unreachable",
          words: `nothing worked for ${Duration.format(Duration.millis(patience))}; the state is saved, run again when the service is back`
        })
    }).pipe(Effect.delay(watchEvery), Effect.forever, Effect.forkIn(scope))

    const wellAgain = Effect.either(gateway.ping).pipe(Effect.map((answer) => answer._tag === "Right"))

    return {
      settings,
      lane: (provider) =>
        Effect.suspend(() => {
          const known = lanes.get(provider)
          if (known !== undefined) return Effect.succeed(known)
          return making.withPermits(1)(
            Effect.gen(function* () {
              const made = lanes.get(provider)
              if (made !== undefined) return made
              const { concurrency, perSecond } = settings.profileOf(provider)
              const lane = yield* makeLane({ concurrency, perSecond }, wellAgain).pipe(
                Effect.provideService(Scopes, scope)
              )
              lanes.set(provider, lane)
              return lane
            })
          )
        }),
      stop,
      halted: () => halt,
      stopped: Deferred.await(stopSignal),
      reserve: (casting, characters) => {
        const price = priceOf(casting)
        if (settings.maxCredits === undefined) return true
        const cost = (price ?? 0) * characters
        if (spent + reserved + cost > settings.maxCredits) return false
        reserved += cost
        return true
      },
      release: (casting, characters) => {
        if (settings.maxCredits !== undefined)
          reserved = Math.max(0, reserved - (priceOf(casting) ?? 0) * characters)
      },
      paid: (casting, characters, credits) =>
        Effect.suspend(() => {
          const price = priceOf(casting)
          if (settings.maxCredits !== undefined) reserved = Math.max(0, reserved - (price ?? 0) * characters)
          if (credits === undefined && price === undefined) pricesKnown = false
          spent += credits ?? (price ?? 0) * characters
          return credits === undefined ? Effect.void : learned.paid(casting, characters, credits)
        }),
      reroll: () => rerollsLeft-- > 0,
      alive: Effect.map(Clock.currentTimeMillis, (now) => {
        lastSuccess = now
      }),
      echoes: { seen: undefined },
      lost: new Map(),
      count: (what, by = 1) => {
        counts[what] += by
      },
      warn,
      retrying: (provider, utterance, fault, wait) =>
        Effect.suspend(() => {
          counts.retried++
          return progress.emit({
            _tag: "Retrying",
            provider,
            utterance,
            why: typeof fault === "string" ? fault : fault.message,
            inSeconds: Duration.toSeconds(wait)
          })
        }),
      summary: () => ({
        ...counts,
        credits: pricesKnown ? spent : undefined,
        halt,
        warnings: Array.from(warnings)
      })
    }
  })
