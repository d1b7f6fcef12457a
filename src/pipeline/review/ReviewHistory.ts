/** Changes of a review that can be undone: each stores its effect on the overrides file. */
import { createHash } from "node:crypto"
import { FileSystem } from "@effect/platform"
import { Effect, Schema } from "effect"
import { overridesPath } from "../load/BatchId.ts"
import { editOverrides, type OverridesEntry, overridesText, replaceOverrides } from "../load/OverridesFile.ts"

const Entry = Schema.Struct({
  path: Schema.Tuple([Schema.Literal("jobs", "voices", "approved"), Schema.String], Schema.String),
  value: Schema.UndefinedOr(Schema.Object)
})

/** The file at one side of a change. */
const Side = Schema.Struct({
  /** Digest of the whole file. */
  digest: Schema.String,
  /** The changed entries. */
  entries: Schema.Array(Entry)
})

/** A saved change. */
export const SavedChange = Schema.Struct({
  /** The cues that it concerns; none if no sound changes. */
  cues: Schema.Array(Schema.Int),
  before: Side,
  after: Side,
  /** Where the two texts of the file differ, in UTF-16 units, and the differing parts. */
  at: Schema.NonNegativeInt,
  removed: Schema.String,
  added: Schema.String
})
export type SavedChange = typeof SavedChange.Type

/** Saves changes beside the manifest, where every later run applies them. */
export const saveChanges = Effect.fn("ReviewHistory.saveChanges")(function* (
  manifest: string,
  cues: ReadonlyArray<number>,
  entries: ReadonlyArray<OverridesEntry>
) {
  const { before, after } = yield* editOverrides(manifest, entries)
  return {
    cues,
    before: { digest: digestOf(before.text), entries: before.entries },
    after: { digest: digestOf(after.text), entries },
    ...differenceOf(before.text, after.text)
  } satisfies SavedChange
})

/**
 * Undoes a change, or makes it again. The file is restored to the byte if nothing else has changed it since; otherwise
 * only the change's own entries are.
 */
export const moveAcross = Effect.fn("ReviewHistory.moveAcross")(function* (
  manifest: string,
  { before, after, at, removed, added }: SavedChange,
  direction: "undo" | "redo"
) {
  const [from, to] = direction === "undo" ? [after, before] : [before, after]
  const [old, fresh] = direction === "undo" ? [added, removed] : [removed, added]
  const text = yield* overridesText(manifest)
  if (digestOf(text) !== from.digest) return yield* Effect.asVoid(editOverrides(manifest, to.entries))
  const moved = text.slice(0, at) + fresh + text.slice(at + old.length)
  if (moved !== "") return yield* replaceOverrides(manifest, moved)
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(overridesPath(manifest), { force: true })
})

/** Returns the one stretch in which two texts differ. */
const differenceOf = (before: string, after: string) => {
  const shorter = Math.min(before.length, after.length)
  let at = 0
  while (at < shorter && before[at] === after[at]) at++
  let tail = 0
  while (tail < shorter - at && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { at, removed: before.slice(at, before.length - tail), added: after.slice(at, after.length - tail) }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")
