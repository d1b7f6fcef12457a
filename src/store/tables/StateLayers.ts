/** Layers over a batch's state folder: a writer that locks the folder, and a reader that works during a run. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Batches } from "./Batches.ts"
import { ClipFolder } from "../files/ClipFolder.ts"
import { Deliveries } from "./Deliveries.ts"
import { CompletedBatches } from "./CompletedBatches.ts"
import { UtteranceTransfer } from "./UtteranceTransfer.ts"
import { Estimates } from "./Estimates.ts"
import { BatchSpending } from "./BatchSpending.ts"
import { type StateBusy, StateUnusable } from "../state/StateErrors.ts"
import type { SharedClips } from "../state/StateFolder.ts"
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
export const writableStateLayer = (folder: string, sharedClips?: SharedClips) =>
  Layer.provideMerge(
    stores,
    Layer.unwrapEffect(Effect.map(stateDatabase, ({ writableState }) => writableState(folder, sharedClips)))
  )

/** The stores for reading. Without a database in the folder, they fail before SQLite is loaded. */
export const readableStateLayer = (folder: string, sharedClips?: SharedClips) =>
  Layer.provideMerge(
    stores,
    Layer.unwrapEffect(
      Effect.suspend(() =>
        existsSync(join(folder, "state.sqlite"))
          ? Effect.map(stateDatabase, ({ readableState }) => readableState(folder, sharedClips))
          : new StateUnusable({ folder, reason: "missing", detail: "" })
      )
    )
  )

const stateDatabase = Effect.promise(() => import("../state/StateDatabase.ts"))

/** Opens the stores of a state folder. */
export type StateOf = (
  folder: string
) => Layer.Layer<Layer.Layer.Success<ReturnType<typeof writableStateLayer>>, StateBusy | StateUnusable>
