/** Work in rooms that are others' again when it has ended. */
import { Effect } from "effect"
import { type Room, Rooms } from "../../audio/kernels/BufferPool.ts"

/** What the work makes must be its own: nothing of it may stand in the rooms. */
export const inRooms = <A, E, R>(work: (room: Room) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Rooms()),
    ({ take }) => work(take),
    (rooms) => Effect.sync(() => rooms.freeAll())
  )
