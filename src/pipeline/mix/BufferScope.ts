/** Runs work with pooled buffers, which are freed when it ends. */
import { Effect } from "effect"
import { type Buffer32, BufferPool } from "../../audio/kernels/BufferPool.ts"

/** The result of `work` must not refer to the buffers. */
export const withBuffers = <A, E, R>(
  work: (allocate: Buffer32) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new BufferPool()),
    ({ take }) => work(take),
    (buffers) => Effect.sync(() => buffers.freeAll())
  )
