/** A clock whose time of day can be set. Its steady time, and its sleeps, are those of the test's clock. */
import { Clock, Effect } from "effect"

/** Makes the clock. `set` moves the time of day by milliseconds. */
export const settableClock = Effect.map(Effect.clock, (steady) => {
  let moved = 0
  const day = () => steady.unsafeCurrentTimeMillis() + moved
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    sleep: (duration) => steady.sleep(duration),
    unsafeCurrentTimeMillis: day,
    currentTimeMillis: Effect.sync(day),
    unsafeCurrentTimeNanos: () => steady.unsafeCurrentTimeNanos(),
    currentTimeNanos: steady.currentTimeNanos
  }
  return {
    clock,
    set: (by: number) => {
      moved += by
    }
  }
})
