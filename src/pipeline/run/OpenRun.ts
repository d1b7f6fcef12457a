/** Opens what a run needs before it loads its batch: a reader for its files, and its state folder. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { StateUnusable } from "../../store/state/StateErrors.ts"
import type { SharedClips } from "../../store/state/StateFolder.ts"
import { type StateOf, writableStateLayer } from "../../store/tables/StateLayers.ts"
import { type ReadInput, readOnce } from "../load/InputFile.ts"

export interface OpenRun {
  /** Reads the batch's files, each of them once. */
  readonly read: ReadInput
  /** The stores of an existing state folder. A folder without a state is not created. */
  readonly known: StateOf
  /** The stores, for a run. If `known` could not open them, fails as it did. */
  readonly writable: StateOf
}

/**
 * Opens a run. Its state is opened once, when it is first needed, and closed with the scope. `sharedClips` is the clip
 * folder of a fleet.
 */
export const openRun = Effect.fnUntraced(function* (sharedClips?: SharedClips) {
  const scope = yield* Effect.scope
  const open = yield* Effect.cachedFunction((folder: string) =>
    Layer.buildWithScope(writableStateLayer(folder, sharedClips), scope)
  )
  return {
    read: yield* readOnce,
    known: (folder) =>
      Layer.effectContext(
        Effect.suspend(() =>
          existsSync(join(folder, "state.sqlite"))
            ? open(folder)
            : new StateUnusable({ folder, reason: "missing", detail: "" })
        )
      ),
    writable: (folder) => Layer.effectContext(open(folder))
  } satisfies OpenRun
})
