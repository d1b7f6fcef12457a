/** How the command uses its memory. */
import { setFlagsFromString } from "node:v8"

/**
 * Has garbage collected when there is a quarter as much of it as of what is in use, not twice: a run of thousands of utterances leaves
 * buffers behind whose memory nobody else could use meanwhile. For threads, too. What runs for less than a second is not slowed down.
 */
export const collectEarly = (): void => {
  setTimeout(() => setFlagsFromString("--heap-growing-percent=25"), 1_000).unref()
}
