/** Work in rooms that are others' again when it has ended. */
import { Effect } from "effect"
import { type Buffer32, BufferPool } from "../../audio/kernels/BufferPool.ts"

/** What the work makes must be its own: nothing of it may stand in the rooms. */
export const withBuffers = <A, E, R>(
  work: (room: Buffer32) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new BufferPool()),
    ({ take }) => work(take),
    (rooms) => Effect.sync(() => rooms.freeAll())
  )
