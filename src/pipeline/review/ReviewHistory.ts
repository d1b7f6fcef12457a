/** Changes of a review that can be undone: each keeps the overrides file before and after it. */
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { overridesPath } from "../load/BatchId.ts"
import {
  editOverrides,
  type OverridesEntry,
  type OverridesSide,
  overridesText,
  replaceOverrides
} from "../load/OverridesFile.ts"

/** A saved change. */
export interface SavedChange {
  /** The cues that it concerns; none if no sound changes. */
  readonly cues: ReadonlyArray<number>
  readonly before: OverridesSide
  readonly after: OverridesSide
}

/** Saves changes beside the manifest, where every later run applies them. */
export const saveChanges = Effect.fn("ReviewHistory.saveChanges")(function* (
  manifest: string,
  cues: ReadonlyArray<number>,
  entries: ReadonlyArray<OverridesEntry>
) {
  const saved: SavedChange = { cues, ...(yield* editOverrides(manifest, entries)) }
  return saved
})

/**
 * Returns from one side of a change to the other. The file is restored to the byte if nothing else has changed it
 * since; otherwise only the change's own entries are.
 */
export const moveAcross = Effect.fn("ReviewHistory.moveAcross")(function* (
  manifest: string,
  from: OverridesSide,
  to: OverridesSide
) {
  if ((yield* overridesText(manifest)) !== from.text)
    return yield* Effect.asVoid(editOverrides(manifest, to.entries))
  if (to.text !== "") return yield* replaceOverrides(manifest, to.text)
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(overridesPath(manifest), { force: true })
})
