/** Saves changes of a review so that they can be undone: each keeps the overrides before and after it. */
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { overridesPath } from "../load/BatchId.ts"
import type { Batch, Job } from "../load/Job.ts"
import { overridesText, replaceOverrides, writeOverrides } from "../load/OverridesFile.ts"
import type { ReviewChanges } from "./ReviewEdits.ts"

/** The overrides at one side of a change. */
export interface OverridesSide {
  /** The whole file; empty if there was none. */
  readonly text: string
  /** The changed entries of the job; undefined for an entry that is absent. */
  readonly entries: ReviewChanges
}

/** A saved change. */
export interface SavedChange {
  readonly cue: number
  readonly before: OverridesSide
  readonly after: OverridesSide
}

/** Saves changes to a job's cues beside the manifest, where every later run applies them. */
export const saveChanges = Effect.fn("ReviewHistory.saveChanges")(function* (
  { manifest }: Batch,
  { id, overrides = {} }: Job,
  cue: number,
  entries: ReviewChanges
) {
  const text = yield* overridesText(manifest)
  yield* writeOverrides(manifest, id, entries)
  const saved: SavedChange = {
    cue,
    before: {
      text,
      entries: Object.fromEntries(Object.keys(entries).map((name) => [name, overrides[name]] as const))
    },
    after: { text: yield* overridesText(manifest), entries }
  }
  return saved
})

/**
 * Returns from one side of a change to the other. The file is restored to the byte if nothing else has changed it
 * since; otherwise only the change's own entries are.
 */
export const moveAcross = Effect.fn("ReviewHistory.moveAcross")(function* (
  { manifest }: Batch,
  { id }: Job,
  from: OverridesSide,
  to: OverridesSide
) {
  if ((yield* overridesText(manifest)) !== from.text) return yield* writeOverrides(manifest, id, to.entries)
  if (to.text !== "") return yield* replaceOverrides(manifest, to.text)
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(overridesPath(manifest), { force: true })
})
