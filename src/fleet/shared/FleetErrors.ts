/** Errors of a fleet's Redis or shared folder, with messages that say how to fix them. */
import { Effect, Option, Schema } from "effect"

/** The fleet's Redis or shared folder cannot be used. */
export class FleetUnusable extends Schema.TaggedError<FleetUnusable>()("FleetUnusable", {
  /** The unusable resource: the Redis address without its password, or a path. */
  about: Schema.String,
  words: Schema.String
}) {
  override get message(): string {
    return `${this.about}: ${this.words}`
  }
}

/** One job of a fleet cannot be processed. The worker fails the job, and continues with others. */
export class JobUnusable extends Schema.TaggedError<JobUnusable>()("JobUnusable", {
  words: Schema.String
}) {
  override get message(): string {
    return this.words
  }
}

/** Another machine has written data of another version. */
export const versionMismatch = (about: string, what: string): FleetUnusable =>
  new FleetUnusable({
    about,
    words: `${what} comes from another version; use the same version of dubwright on every machine of the fleet`
  })

/** Turns `FleetUnusable` defects into failures: an error that Redis returns later is not an internal error. */
export const withRefusals = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | FleetUnusable, R> =>
  Effect.catchSomeDefect(effect, (defect) =>
    defect instanceof FleetUnusable ? Option.some(Effect.fail(defect)) : Option.none()
  )
