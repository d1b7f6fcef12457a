/** Slots that limit how much work runs at once. */
import { Effect, Exit } from "effect"

/** Frees a slot. */
export type Free = () => void

/**
 * A requested slot. It is granted once, immediately or later, and never lost: it may be granted while the requester is
 * not yet waiting for it.
 */
export class Pending {
  /** Frees the slot. Set once the slot was granted. */
  free: Free | undefined
  private left = false
  private tell = (_: Free): void => undefined

  /** Grants the slot. Returns false if the request was withdrawn. */
  give(free: Free): boolean {
    if (this.left) return false
    this.free = free
    this.tell(free)
    return true
  }

  /** Withdraws the request, and frees the slot if it was granted. */
  leave(): void {
    this.left = true
    this.free?.()
  }

  /** Waits until the slot is granted. */
  readonly given: Effect.Effect<Free> = Effect.async((resume) => {
    if (this.free !== undefined) return resume(Exit.succeed(this.free))
    this.tell = (free) => resume(Exit.succeed(free))
  })
}

/**
 * Runs work in a slot, and frees it only when the work has ended, including its finalizers. `taken` returns a slot or a
 * pending one. If interrupted while waiting, it takes no slot. The path for a free slot is short, because tens of
 * thousands of calls pass here.
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

/** A fixed number of slots, first come, first served. */
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
