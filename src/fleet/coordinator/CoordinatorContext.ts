/** State and connections that the parts of a fleet's coordinator share. */
import type { Job } from "bullmq"
import type { Effect } from "effect"
import type { Redis } from "ioredis"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import type { Share } from "../shared/Share.ts"
import type { JobWatcher } from "./JobWatcher.ts"

/** A coordinator's shared state. */
export interface Coordinator {
  readonly client: Redis
  /** Sends a request to Redis. */
  readonly callRedis: <A>(ask: () => Promise<A>) => Effect.Effect<A>
  readonly share: Share["Type"]
  readonly watch: JobWatcher
  readonly handover: UtteranceTransfer
  /** Jobs whose results have been recorded; removed when the batch is done. */
  readonly done: Array<Job>
  /** Utterances already looked up in the shared folder and Redis. */
  readonly looked: Set<UtteranceKey>
  /** Providers whose queues are open. */
  readonly providers: Set<ProviderId>
  /** Whether the run is being interrupted. If so, nothing is dispatched again. */
  readonly stopping: { now: boolean }
}
