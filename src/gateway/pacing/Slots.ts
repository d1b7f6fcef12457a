/** Work that holds a slot of something of which there is only so much. */
import { Effect, Exit } from "effect"

/** Frees a slot. */
export type Free = () => void

/**
 * A slot that was wished for: given once, then or later, and never lost. Between the wish and the wait for it others
 * may run, and a slot may be given meanwhile.
 */
export class Pending {
  /** Frees the slot, once it was given. */
  free: Free | undefined
  private left = false
  private tell = (_: Free): void => undefined

  /** Gives the slot; false if it is no longer wished for. */
  give(free: Free): boolean {
    if (this.left) return false
    this.free = free
    this.tell(free)
    return true
  }

  /** No longer wishes for the slot: frees it if it was given. */
  leave(): void {
    this.left = true
    this.free?.()
  }

  /** Waits until the slot is given. */
  readonly given: Effect.Effect<Free> = Effect.async((resume) => {
    if (this.free !== undefined) return resume(Exit.succeed(this.free))
    this.tell = (free) => resume(Exit.succeed(free))
  })
}

/**
 * Runs work in a slot, which is free again only when the work has ended, its finalizers included. `taken` gives the
 * slot, or the wish for one; interrupted while it waits, it takes none. Ten thousand pass here: where a slot is free
 * this costs a few steps.
 */
export const holdSlot = <A, E, R>(
  taken: () => Free | Pending,
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
    if (!(slot instanceof Pending)) return worked(slot)
    return Effect.matchCauseEffect(restore(slot.given), {
      onFailure: (cause) => {
        slot.leave()
        return Exit.failCause(cause)
      },
      onSuccess: worked
    })
  })

/** So many slots, first come first served. */
export class Slots {
  private readonly waiting = new Set<Pending>()

  constructor(private left: number) {}

  /** Runs work in a slot. */
  readonly hold = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => holdSlot(this.take, work)

  private readonly take = (): Free | Pending => {
    if (this.left > 0) {
      this.left--
      return this.free
    }
    const next = new Pending()
    this.waiting.add(next)
    return next
  }

  private readonly free = (): void => {
    for (const next of this.waiting) {
      this.waiting.delete(next)
      if (next.give(this.free)) return
    }
    this.left++
  }
}
