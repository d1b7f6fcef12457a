/** How the speaking of one utterance can end otherwise than with its clip. */
import { Data } from "effect"
import type { FailureReason } from "../../domain/task/FailureReason.ts"

/** Creates were stopped: it is left as it is, for the next run. */
export class Left extends Data.TaggedError("Left")<Record<never, never>> {}

/** Passing faults, too many for now: it is set aside until all others are done. */
export class SetAside extends Data.TaggedError("SetAside")<{ readonly setback: FailureReason }> {}

/** It cannot be spoken: it is to be failed with this cause. */
export class Hopeless extends Data.TaggedError("Hopeless")<{ readonly setback: FailureReason }> {}

/** Its take was given up, and was written as lost: it is to be spoken anew. */
export class Lost extends Data.TaggedError("Lost")<{ readonly setback: FailureReason }> {}

export type Ending = Left | SetAside | Hopeless | Lost
