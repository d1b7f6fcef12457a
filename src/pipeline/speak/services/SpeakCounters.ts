/** Counters, warnings and allowances of one run. */
import { Clock, Duration, Effect } from "effect"
import type { ProviderId, UtteranceKey } from "../../../domain/values/Ids.ts"
import { Progress } from "../../Progress.ts"
import { SpeakConfig } from "../SpeakSettings.ts"
import { SpeakTally } from "../SpeakTally.ts"

export class SpeakCounters extends Effect.Service<SpeakCounters>()("pipeline/SpeakCounters", {
  effect: Effect.gen(function* () {
    const { utterances, rerolls, tally } = yield* SpeakConfig
    const progress = yield* Progress
    const { counts, warnings } = tally ?? new SpeakTally()
    let rerollsLeft = Math.max(3, Math.ceil(utterances * rerolls))
    let slowAt = -Infinity

    return {
      counts,
      warnings,
      /** Counts an utterance that was not spoken, unless its line keeps an earlier take. */
      unspoken: (how: "failed" | "left"): Effect.Effect<void, never, SpeakConfig> =>
        Effect.map(SpeakConfig, ({ isSecond }) => {
          if (isSecond !== true) counts[how]++
        }),
      /** Shows a warning, once per run. */
      warn: (message: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          if (warnings.has(message)) return Effect.void
          warnings.add(message)
          return progress.emit({ _tag: "Warning", message })
        }),
      /** Shows a warning about slow audio, at most once a minute. */
      warnSlow: (message: string): Effect.Effect<void> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now - slowAt < 60_000) return Effect.void
          slowAt = now
          return progress.emit({ _tag: "Warning", message })
        }),
      /** Counts and shows a retry. */
      retrying: (
        provider: ProviderId,
        utterance: UtteranceKey,
        why: string,
        wait: Duration.Duration = Duration.zero
      ): Effect.Effect<void> =>
        Effect.suspend(() => {
          counts.retried++
          const inSeconds = Duration.toSeconds(wait)
          return progress.emit({ _tag: "Retrying", provider, utterance, why, inSeconds })
        }),
      /** Uses up one of the run's new takes for bad audio. Returns false if none is left. */
      reroll: (): boolean => rerollsLeft-- > 0
    }
  })
}) {}
