/** What the parts of a fleet's coordinator share. */
import type { Job } from "bullmq"
import type { Effect } from "effect"
import type { Redis } from "ioredis"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { SharedFolder } from "../shared/SharedFolder.ts"
import type { JobWatcher } from "./JobWatcher.ts"

/** What a coordinator works with. */
export interface Coordinator {
  readonly client: Redis
  /** Asks Redis. */
  readonly asked: <A>(ask: () => Promise<A>) => Effect.Effect<A>
  readonly share: SharedFolder
  readonly watch: JobWatcher
  readonly handover: UtteranceTransfer
  /** Jobs whose ends were taken back: they are removed when the batch is done. */
  readonly done: Array<Job>
  /** Utterances of which it was asked what the share and Redis know. */
  readonly looked: Set<UtteranceKey>
  /** Whether the run is being interrupted: nothing is handed out again. */
  readonly stopping: { now: boolean }
}
