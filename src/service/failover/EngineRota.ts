/** Chooses the engine for each task of a provider. If it fails, the next engine speaks the whole task instead. */
import { Cause, Data, Effect, Exit, Option } from "effect"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import { EngineUnavailable, passingReasons, SpeechFailed, type Engine } from "../../engines/Engine.ts"
import type { Offer, ServedEngine, ServedProvider, ServedVoice } from "../catalogue/Catalogue.ts"
import { EngineSet } from "../catalogue/EngineSet.ts"
import { ServiceHealth, type EngineHealth, type HealthProblem } from "./ServiceHealth.ts"
import { ServiceMetrics } from "./ServiceMetrics.ts"

/** Every engine of the provider is set aside or unavailable: the task must wait. */
export class NoEngineLeft extends Data.TaggedError("NoEngineLeft") {}

/** The result of a task, and the engine that spoke it. */
export interface SpokenBy<A> {
  readonly value: A
  /** The engine's name, as the provider's settings give it. */
  readonly engine: string
}

/** Speaks a task with one engine and its voice. */
export type SpeakTask<A, E, R> = (engine: Engine, voice: ServedVoice) => Effect.Effect<A, E, R>

/** Whether a provider's tasks can be spoken. */
export interface ProviderHealth extends EngineHealth {
  readonly provider: ServedProvider
}

/** An engine's state, which changes as it is used. */
interface Seat {
  readonly limits: ReturnType<typeof limitEngine>
  breaker: EngineBreaker
  /** Smooth weighted round robin: the engine with the most credit is next. */
  credit: number
}

const make = Effect.gen(function* () {
  const engines = yield* EngineSet
  const health = yield* ServiceHealth
  const metrics = yield* ServiceMetrics
  const seats = new Map<string, Seat>()
  const clock = yield* Effect.clock
  const nowMillis = () => steadyMillis(clock)
  const now = Effect.sync(nowMillis)

  const seatOf = (provider: ServedProvider, served: ServedEngine): Seat | undefined => {
    const name = `${provider.id}\0${served.name}`
    const engine = engines.get(served.key)
    if (engine !== undefined && !seats.has(name)) {
      const limits = limitEngine(engine, served.concurrency, served.requestsPerMinute, nowMillis)
      seats.set(name, { limits, breaker: unusedEngine, credit: 0 })
    }
    return seats.get(name)
  }

  /** Returns an engine's seat if the engine can speak now. */
  const usableSeat = (provider: ServedProvider, served: ServedEngine) =>
    Effect.gen(function* () {
      const seat = seatOf(provider, served)
      if (seat === undefined) return undefined
      const mayTry = provider.engines.length === 1 || mayUse(seat.breaker, nowMillis())
      return mayTry && (yield* health.engine(served.key)).ready ? seat : undefined
    })

  /** Returns the engine whose turn it is: of the lowest order, preferably without waiting, in proportion to weights. */
  const choose = (provider: ServedProvider, voice: ServedVoice, tried: ReadonlySet<ServedEngine>) =>
    Effect.gen(function* () {
      const usable: Array<{ readonly served: ServedEngine; readonly seat: Seat }> = []
      for (const served of provider.engines) {
        if (tried.has(served) || served.voiceFor(voice) === undefined) continue
        const seat = yield* usableSeat(provider, served)
        if (seat !== undefined) usable.push({ served, seat })
      }
      const order = Math.min(...usable.map(({ served }) => served.order))
      const peers = usable.filter(({ served }) => served.order === order)
      const free = peers.filter(({ seat }) => seat.limits.isFree())
      const candidates = free.length > 0 ? free : peers
      const [first, ...others] = candidates
      if (first === undefined) return undefined
      for (const { served, seat } of candidates) seat.credit += served.weight
      const next = others.reduce((best, each) => (each.seat.credit > best.seat.credit ? each : best), first)
      next.seat.credit -= candidates.reduce((sum, { served }) => sum + served.weight, 0)
      return next
    })

  /** Records the result of using an engine, and logs when it is set aside or used again. */
  const record = (provider: ServedProvider, name: string, seat: Seat, exit: Exit.Exit<unknown, Fault>) =>
    Effect.gen(function* () {
      const before = seat.breaker
      const at = yield* now
      const failure = Exit.isFailure(exit)
        ? Option.getOrUndefined(Cause.failureOption(exit.cause))
        : undefined
      const fault = failure === undefined ? undefined : engineFaultIn(failure)
      seat.breaker =
        fault !== undefined
          ? onFault(before, at, fault === "lasting")
          : Exit.isSuccess(exit) || failure !== undefined
            ? onSpeech(before)
            : onInterruption(before, at)
      metrics.engineUse(
        provider.id,
        name,
        Exit.isSuccess(exit) ? "spoken" : fault === undefined ? "ended" : "failed"
      )
      metrics.engineAside(provider.id, name, seat.breaker._tag !== "InUse")
      const about = Effect.annotateLogs({ provider: provider.id, engine: name })
      if (seat.breaker._tag === "SetAside" && seat.breaker !== before && fault !== undefined) {
        const { pause } = seat.breaker
        const reason = failure?.detail ?? failure?._tag
        yield* about(
          Effect.annotateLogs(Effect.logWarning("engine is set aside"), { reason, seconds: pause / 1000 })
        )
      }
      if (before._tag === "OnTrial" && seat.breaker._tag === "InUse")
        yield* about(Effect.logInfo("engine is used again"))
    })

  /** Whether any of a provider's engines can speak now. The reason is that of the first engine. */
  const healthOf = (provider: ServedProvider): Effect.Effect<ProviderHealth> =>
    Effect.gen(function* () {
      for (const served of provider.engines) {
        if ((yield* usableSeat(provider, served)) !== undefined)
          return { provider, ready: true, reason: undefined }
      }
      const first = yield* health.engine(provider.engines[0].key)
      const reason = first.reason ?? "its engines failed and are set aside for a while"
      return { provider, ready: false, reason }
    })

  return {
    /**
     * Speaks a task with the provider's engines, one after the other until one succeeds. Each starts from the
     * beginning, so a task has the audio of one engine. Fails with `NoEngineLeft` if none could be tried.
     */
    speak: <A, E extends Fault, R>(
      provider: ServedProvider,
      voice: ServedVoice,
      work: SpeakTask<A, E, R>
    ): Effect.Effect<SpokenBy<A>, E | NoEngineLeft, R> =>
      Effect.suspend(() => {
        const tried = new Set<ServedEngine>()
        const next = (failed: E | undefined): Effect.Effect<SpokenBy<A>, E | NoEngineLeft, R> =>
          Effect.gen(function* () {
            const chosen = yield* choose(provider, voice, tried)
            if (chosen === undefined) return yield* Effect.fail(failed ?? new NoEngineLeft())
            const { served, seat } = chosen
            tried.add(served)
            const used = Effect.flatMap(now, (at) => {
              // Another task may have set the engine aside, or begun to try it, since it was chosen.
              if (!mayUse(seat.breaker, at)) return Effect.succeedNone
              seat.breaker = onUse(seat.breaker)
              return work(seat.limits.engine, served.voiceFor(voice) ?? voice).pipe(
                Effect.onExit((exit) => record(provider, served.name, seat, exit)),
                Effect.asSome
              )
            })
            const outcome = yield* Effect.either(seat.limits.hold(used))
            if (outcome._tag === "Left") {
              const fault = engineFaultIn(outcome.left)
              if (fault === undefined) return yield* Effect.fail(outcome.left)
              // The task is tried again later if that may help.
              const worse =
                failed !== undefined && engineFaultIn(failed) === "passing" ? failed : outcome.left
              return yield* next(worse)
            }
            if (Option.isNone(outcome.right)) return yield* next(failed)
            return { value: outcome.right.value, engine: served.name }
          })
        const [only, ...others] = provider.engines
        const engine = engines.get(only.key)
        return others.length > 0 || engine === undefined
          ? next(undefined)
          : Effect.map(work(engine, voice), (value) => ({ value, engine: only.name }))
      }),

    /** The health of an offer's providers, in their order. */
    health: (offer: Offer): Effect.Effect<ReadonlyArray<ProviderHealth>> =>
      Effect.forEach(offer.providers.values(), healthOf, { concurrency: "unbounded" }),

    /** The problem that prevents a provider's tasks from being spoken now, if any. */
    trouble: (provider: ServedProvider): Effect.Effect<Option.Option<HealthProblem>> =>
      Effect.gen(function* () {
        if (!health.isRoomy(yield* health.disk)) return Option.some("disk_full")
        return (yield* healthOf(provider)).ready ? Option.none() : Option.some("engine_unavailable")
      })
  }
})

/** A failure of an engine or a task, with details for the log. */
interface Fault {
  readonly _tag: string
  readonly detail?: string
}

/** The engines of each provider, with their state. */
export class EngineRota extends Effect.Service<EngineRota>()("service/EngineRota", { effect: make }) {}

/**
 * `passing`: the engine was slow, busy or broken. `lasting`: it is unavailable, or its account is exhausted. Undefined:
 * the text or the service itself is at fault, and another engine would not help.
 */
const engineFaultIn = (failure: { readonly _tag: string }): "passing" | "lasting" | undefined => {
  if (failure._tag === "TooSlow") return "passing"
  if (failure instanceof EngineUnavailable) return "lasting"
  if (!(failure instanceof SpeechFailed)) return undefined
  if (failure.reason === "quota") return "lasting"
  return passingReasons.has(failure.reason) ? "passing" : undefined
}

const minute = 60_000

/** Limits an engine. */
const limitEngine = (
  engine: Engine,
  concurrency: number,
  requestsPerMinute: number,
  nowMillis: () => number
) => {
  const slots = Effect.unsafeMakeSemaphore(concurrency)
  /** When each request of the last minute started, or will; oldest first. */
  let starts: Array<number> = []
  let held = 0
  /** Returns the milliseconds until the next request may start. */
  const waitAt = (at: number): number => {
    starts = starts.filter((start) => start > at - minute)
    const blocking = starts[starts.length - requestsPerMinute]
    return blocking === undefined ? 0 : blocking + minute - at
  }
  const turn = Effect.suspend(() => {
    const at = nowMillis()
    const wait = waitAt(at)
    starts.push(at + wait)
    return Effect.sleep(wait)
  })
  return {
    /** Whether a task could start now without waiting. */
    isFree: (): boolean => held < concurrency && waitAt(nowMillis()) === 0,
    /** Runs a task's work within the limit of tasks at once. */
    hold: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      slots.withPermits(1)(
        Effect.acquireUseRelease(
          Effect.sync(() => held++),
          () => work,
          () => Effect.sync(() => held--)
        )
      ),
    /** The engine, whose requests wait so that no minute has more than the limit. */
    engine:
      requestsPerMinute === Infinity
        ? engine
        : ({ ...engine, speak: (request) => Effect.zipRight(turn, engine.speak(request)) } satisfies Engine)
  }
}

/**
 * Circuit breaker of one engine. After failures, the engine is set aside for a pause; then one task tries it. If the
 * task succeeds, the engine is used again; otherwise the next pause is twice as long. Times are in milliseconds.
 */

type EngineBreaker =
  /** In use; `faults` counts the failures since the last success. */
  | { readonly _tag: "InUse"; readonly faults: number }
  /** Set aside until a time. After that, one task may try it. */
  | { readonly _tag: "SetAside"; readonly until: number; readonly pause: number }
  /** One task is trying it. */
  | { readonly _tag: "OnTrial"; readonly pause: number }

/** The initial state. */
const unusedEngine: EngineBreaker = { _tag: "InUse", faults: 0 }

/** Consecutive failures after which an engine is set aside. */
const maxFaults = 3
/** The first pause. */
const firstPause = 30_000
/** The longest pause. */
export const maxPause = 15 * 60_000

/** Whether a task may use the engine now. */
const mayUse = (state: EngineBreaker, now: number): boolean =>
  state._tag === "InUse" || (state._tag === "SetAside" && now >= state.until)

/** The state while a task uses the engine. */
const onUse = (state: EngineBreaker): EngineBreaker =>
  state._tag === "SetAside" ? { _tag: "OnTrial", pause: state.pause } : state

/** The state after the engine has failed. A `lasting` failure, such as an exhausted account, sets it aside at once. */
const onFault = (state: EngineBreaker, now: number, lasting: boolean): EngineBreaker => {
  switch (state._tag) {
    case "InUse": {
      const faults = state.faults + 1
      return lasting || faults >= maxFaults ? setAside(now, firstPause) : { _tag: "InUse", faults }
    }
    case "OnTrial":
      return setAside(now, Math.min(maxPause, state.pause * 2))
    // A task that began before the pause has failed, too.
    case "SetAside":
      return state
  }
}

/** The state after the engine has spoken, or has refused a text for a fault of the text. */
const onSpeech = (state: EngineBreaker): EngineBreaker =>
  // A task that began before the pause proves nothing about the engine now.
  state._tag === "SetAside" ? state : unusedEngine

/** The state after a task was interrupted: the next one may try the engine at once. */
const onInterruption = (state: EngineBreaker, now: number): EngineBreaker =>
  state._tag === "OnTrial" ? { _tag: "SetAside", until: now, pause: state.pause } : state

const setAside = (now: number, pause: number): EngineBreaker => ({
  _tag: "SetAside",
  until: now + pause,
  pause
})
