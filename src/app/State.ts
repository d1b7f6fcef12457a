/** The layers over a batch's state folder: to write to, which holds the folder, and to read from, which disturbs no run. */
import { Layer } from "effect"
import { ClipFolder } from "../store/ClipFolder.ts"
import { Deliveries } from "../store/Deliveries.ts"
import { Finished } from "../store/Finished.ts"
import { Learned } from "../store/Learned.ts"
import { Outlay } from "../store/Outlay.ts"
import { readableState, writableState } from "../store/StateFolder.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"

const stores = Layer.mergeAll(
  UtteranceStore.Default,
  ClipFolder.Default,
  Deliveries.Default,
  Finished.Default,
  Learned.Default,
  Outlay.Default
)

export const writing = (folder: string) => Layer.provide(stores, writableState(folder))

export const reading = (folder: string) => Layer.provide(stores, readableState(folder))
