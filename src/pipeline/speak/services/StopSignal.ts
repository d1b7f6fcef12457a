/** Stops the creates of a run early. Tasks in flight are still completed. */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { Progress } from "../../Progress.ts"
import { type Halt, SpeakConfig } from "../SpeakSettings.ts"

/** The stop signal of one run; in a fleet's worker, of one utterance. */
export class StopSignal extends Context.Tag("pipeline/StopSignal")<
  StopSignal,
  {
    /** Stops creates. The first reason given is kept. */
    readonly stop: (halt: Halt) => Effect.Effect<void>
    readonly halted: () => Halt | undefined
    /** Waits until the run is stopped. */
    readonly stopped: Effect.Effect<void>
    /** Stops the run if its deadline has passed. */
    readonly punctual: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    StopSignal,
    Effect.gen(function* () {
      const { deadline } = yield* SpeakConfig
      const progress = yield* Progress
      const signal = yield* Deferred.make<void>()
      let halt: Halt | undefined
      const stop = (reason: Halt): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (halt !== undefined) return Effect.void
          halt = reason
          return Effect.zipRight(
            Deferred.succeed(signal, undefined),
            progress.emit({ _tag: "Stopping", why: reason.words })
          )
        })
      const punctual =
        deadline === undefined
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) =>
              now < deadline.at
                ? Effect.void
                : stop({
                    reason: "deadline",
                    words: `the deadline of ${deadline.words} has passed; in-flight tasks will finish; run again to continue`
                  })
            )
      yield* punctual
      return { stop, halted: () => halt, stopped: Deferred.await(signal), punctual }
    })
  )
}
