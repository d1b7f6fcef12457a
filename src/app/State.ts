/** The layers over a batch's state folder: to write to, which holds the folder, and to read from, which disturbs no run. */
import { Layer } from "effect"
import { Batches } from "../store/Batches.ts"
import { ClipFolder } from "../store/ClipFolder.ts"
import { Deliveries } from "../store/Deliveries.ts"
import { Finished } from "../store/Finished.ts"
import { Handover } from "../store/Handover.ts"
import { Learned } from "../store/Learned.ts"
import { Outlay } from "../store/Outlay.ts"
import { readableState, writableState } from "../store/StateFolder.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"

const stores = Layer.mergeAll(
  UtteranceStore.Default,
  Batches.Default,
  ClipFolder.Default,
  Deliveries.Default,
  Finished.Default,
  Handover.Default,
  Learned.Default,
  Outlay.Default
)

/** To write to; the clips lie in a folder of their own where they are shared. */
export const writing = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, writableState(folder, sharedClips))

export const reading = (folder: string, sharedClips?: string) =>
  Layer.provide(stores, readableState(folder, sharedClips))
