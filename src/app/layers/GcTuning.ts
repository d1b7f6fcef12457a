/** Garbage collection settings of V8. */
import { setFlagsFromString } from "node:v8"
import { collectGarbage } from "../../domain/values/GarbageCollection.ts"

/**
 * Makes V8 collect when garbage reaches 50 % of the live heap instead of 200 %, in worker threads too. A run of
 * thousands of utterances would otherwise hold that memory in dead buffers. Collecting even more often costs too much:
 * each collection also discards compiled code of short-lived functions, which V8 must compile again.
 *
 * Takes effect after 1 s, so short commands are not slowed down. It also forces a first collection then: before one, V8
 * does not know the live heap size and lets hundreds of megabytes accumulate. `before` is called before flags change.
 */
export const tuneGc = (before?: () => void): void => {
  setTimeout(() => {
    before?.()
    setFlagsFromString("--heap-growing-percent=50")
    collectGarbage()
  }, 1_000).unref()
}
