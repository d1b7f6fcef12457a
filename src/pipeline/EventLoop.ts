/** A pause in long work of this thread. */
import { Effect } from "effect"

/** Lets the event loop go around once: whoever waits for it has a turn. */
export const yieldToEventLoop = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
