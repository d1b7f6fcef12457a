/** Time that does not change if the time of day is set: for waits, ages and rates. */
import type { Clock } from "effect"

/** Returns milliseconds since a fixed but arbitrary time, rounded down. */
export const steadyMillis = (clock: Clock.Clock): number =>
  Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
