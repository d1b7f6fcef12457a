/** Layers over a batch's state folder: a writer that locks the folder, and a reader that works during a run. */
import { Layer } from "effect"
import { Batches } from "./Batches.ts"
import { ClipFolder } from "../files/ClipFolder.ts"
import { Deliveries } from "./Deliveries.ts"
import { CompletedBatches } from "./CompletedBatches.ts"
import { UtteranceTransfer } from "./UtteranceTransfer.ts"
import { Estimates } from "./Estimates.ts"
import { BatchSpending } from "./BatchSpending.ts"
import type { StateBusy, StateUnusable } from "../state/StateErrors.ts"
import { readableState, writableState } from "../state/StateFolder.ts"
import { UtteranceStore } from "./UtteranceStore.ts"

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
  Layer.provideMerge(stores, writableState(folder, sharedClips))

export const readableStateLayer = (folder: string, sharedClips?: string) =>
  Layer.provideMerge(stores, readableState(folder, sharedClips))

/** Opens the stores of a state folder. */
export type StateOf = (
  folder: string
) => Layer.Layer<Layer.Layer.Success<ReturnType<typeof writableStateLayer>>, StateBusy | StateUnusable>
