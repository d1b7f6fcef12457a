/** How the command uses its memory. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * Has garbage collected when there is half as much of it as of what is in use, not twice: a run of thousands of
 * utterances leaves buffers behind whose memory nobody else could use meanwhile. For threads, too. More often would
 * cost more than the collections: each takes along what V8 has made of functions that exist only while they run, and it
 * makes it again. What runs for less than a second is not slowed down. The first collection is asked for then: until
 * there was one, V8 does not know what is in use, and lets hundreds of megabytes come together.
 */
export const tuneGc = (): void => {
  setTimeout(() => {
    setFlagsFromString("--heap-growing-percent=50")
    setFlagsFromString("--expose-gc")
    runInNewContext("globalThis.gc?.()")
  }, 1_000).unref()
}
