/** Garbage collection settings of V8. */
import { setFlagsFromString } from "node:v8"

/**
 * Makes V8 collect when garbage reaches 50 % of the live heap instead of 200 %, in worker threads too. A run of
 * thousands of utterances would otherwise hold that memory in dead buffers. Collecting even more often costs too much:
 * each collection also discards compiled code of short-lived functions, which V8 must compile again.
 *
 * Takes effect after 1 s, so short commands are not slowed down. `before` is called before flags change.
 */
export const tuneGc = (before?: () => void): void => {
  setTimeout(() => {
    before?.()
    setFlagsFromString("--heap-growing-percent=50")
  }, 1_000).unref()
}
