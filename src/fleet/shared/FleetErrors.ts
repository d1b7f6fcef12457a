/** Why a fleet cannot be worked with, in words that say how to mend it. */
import { Effect, Option, Schema } from "effect"

/** The fleet's Redis, or its shared folder, cannot be used as it is. */
export class FleetUnusable extends Schema.TaggedError<FleetUnusable>()("FleetUnusable", {
  /** What is at fault: the Redis by its address without a password, or a path. */
  about: Schema.String,
  words: Schema.String
}) {
  override get message(): string {
    return `${this.about}: ${this.words}`
  }
}

/** What another machine has written is of another version. */
export const versionMismatch = (about: string, what: string): FleetUnusable =>
  new FleetUnusable({
    about,
    words: `${what} is of another version: every machine of a fleet needs the same dubwright`
  })

/** What Redis refuses in the midst of the work is no fault of the program. */
export const withRefusals = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | FleetUnusable, R> =>
  Effect.catchSomeDefect(effect, (defect) =>
    defect instanceof FleetUnusable ? Option.some(Effect.fail(defect)) : Option.none()
  )
