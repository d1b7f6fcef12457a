/** Layers over a batch's state folder: a writer that locks the folder, and a reader that works during a run. */
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

/** The stores for writing; holds the folder's lock. `sharedClips` is the clip folder of a fleet. */
export const writableStateLayer = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, writableState(folder, sharedClips))

export const readableStateLayer = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, readableState(folder, sharedClips))
