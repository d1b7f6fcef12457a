/** Yields to the event loop during long synchronous work. */
import { Effect } from "effect"

/** Waits for one turn of the event loop, so that pending I/O and timers can run. */
export const yieldToEventLoop = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
