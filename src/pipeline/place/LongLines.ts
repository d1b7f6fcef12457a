/** Lines that do not fit their slots, with the number of characters that would. */
import { Effect } from "effect"
import type { Line } from "../../domain/speech/Line.ts"
import { charactersOf, lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { type Forecastable, forecastPlacements, type Known } from "./FitForecast.ts"

/** A line that does not fit. */
export interface LongLine {
  readonly line: Line
  /** How many characters would fit; undefined if only neighbouring lines leave it too little time. */
  readonly limit: number | undefined
  /** Whether it does not fit even at the highest speed allowed. */
  readonly isOver: boolean
}

/**
 * Returns the lines that do not fit, in script order. If lines share a clip that cannot be cut, the characters to
 * remove are divided among them by length.
 */
export const longLines = (
  plan: Omit<Forecastable, "words">,
  known: Known,
  takes: ReadonlyArray<UtteranceUse> = []
): ReadonlyArray<LongLine> => {
  const tight = new Map<string, Omit<LongLine, "line">>()
  const named = new Map(plan.lines.map((line) => [lineName(line), line]))
  for (const { flags, lines, shortenBy } of forecastPlacements(plan, known, takes).placements) {
    if (!flags.includes("fast") && !flags.includes("overrun")) continue
    const own = lines.flatMap((ref) => named.get(lineName(ref)) ?? [])
    const total = own.reduce((sum, { said }) => sum + charactersOf(said), 0)
    for (const line of own) {
      const length = charactersOf(line.said)
      const limit = shortenBy === undefined ? undefined : length - Math.ceil((shortenBy * length) / total)
      tight.set(lineName(line), {
        limit: limit === undefined ? undefined : Math.max(1, limit),
        isOver: flags.includes("overrun")
      })
    }
  }
  return plan.lines.flatMap((line) => {
    const found = tight.get(lineName(line))
    return found === undefined ? [] : [{ line, ...found }]
  })
}

/** Reads the known and learned lengths of a job's speech from the state. */
export const knownLengths = Effect.fn("LongLines.knownLengths")(function* (
  { uses }: Pick<JobPlan, "uses">,
  takes: ReadonlyArray<UtteranceUse> = []
) {
  const store = yield* UtteranceStore
  const { speechTime } = yield* Estimates
  const stored = yield* store.clips([...new Set([...uses, ...takes].map(({ utterance }) => utterance.key))])
  const known: Known = { clips: new Map([...stored].map(([key, { clip }]) => [key, clip])), speechTime }
  return known
})
