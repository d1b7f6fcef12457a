/**
 * The layers over a batch's state folder: to write to, which holds the folder, and to read from, which disturbs no run.
 */
import { Layer } from "effect"
import { Batches } from "../../store/tables/Batches.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { BatchSpending } from "../../store/tables/BatchSpending.ts"
import { readableState, writableState } from "../../store/state/StateFolder.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"

const stores = Layer.mergeAll(
  UtteranceStore.Default,
  Batches.Default,
  ClipFolder.Default,
  Deliveries.Default,
  CompletedBatches.Default,
  UtteranceTransfer.Default,
  Estimates.Default,
  BatchSpending.Default
)

/** To write to; the clips lie in a folder of their own where they are shared. */
export const writableStateLayer = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, writableState(folder, sharedClips))

export const readableStateLayer = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, readableState(folder, sharedClips))
