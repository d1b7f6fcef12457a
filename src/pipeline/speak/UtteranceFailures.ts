/** Outcomes of an utterance other than a clip. */
import { Data } from "effect"
import type { FailureReason } from "../../domain/task/FailureReason.ts"

/** Creates were stopped: the utterance is left for the next run. */
export class Left extends Data.TaggedError("Left")<Record<never, never>> {}

/** Too many transient faults for now: the utterance is deferred until all others are done. */
export class SetAside extends Data.TaggedError("SetAside")<{ readonly failure: FailureReason }> {}

/** It cannot be spoken: the utterance fails for this reason. */
export class Hopeless extends Data.TaggedError("Hopeless")<{ readonly failure: FailureReason }> {}

/** Its take was recorded as lost: the utterance is spoken again. */
export class Lost extends Data.TaggedError("Lost")<{ readonly failure: FailureReason }> {}

export type Ending = Left | SetAside | Hopeless | Lost
