/** Work that holds a slot of something of which there is only so much. */
import { Effect, Exit } from "effect"

/** Frees a slot. */
export type Free = () => void

/**
 * Runs work in a slot, which is free again only when the work has ended, its finalizers included. `taken` gives the slot, at once or
 * later; interrupted while it waits, it takes none. Ten thousand pass here: where a slot is free this costs a few steps.
 */
export const held = <A, E, R>(
  taken: () => Free | Effect.Effect<Free>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) => {
    const worked = (free: Free) =>
      Effect.matchCauseEffect(restore(work), {
        onFailure: (cause) => {
          free()
          return Exit.failCause(cause)
        },
        onSuccess: (result) => {
          free()
          return Exit.succeed(result)
        }
      })
    const slot = taken()
    return Effect.isEffect(slot) ? Effect.flatMap(restore(slot), worked) : worked(slot)
  })

/** So many slots, first come first served. */
export class Slots {
  private readonly waiting = new Set<() => void>()

  constructor(private left: number) {}

  /** Runs work in a slot. */
  readonly hold = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => held(this.take, work)

  private readonly take = (): Free | Effect.Effect<Free> => {
    if (this.left > 0) {
      this.left--
      return this.free
    }
    return Effect.async<Free>((resume) => {
      const go = () => resume(Exit.succeed(this.free))
      this.waiting.add(go)
      return Effect.sync(() => {
        // Given to it already: another may have it.
        if (!this.waiting.delete(go)) this.free()
      })
    })
  }

  private readonly free = (): void => {
    const [next] = this.waiting
    if (next === undefined) this.left++
    else {
      this.waiting.delete(next)
      next()
    }
  }
}
