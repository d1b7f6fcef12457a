/** Reads and writes the overrides file beside a manifest: every run applies it, and review adds accepted changes. */
import { FileSystem } from "@effect/platform"
import { Effect, Either, Predicate, Record } from "effect"
import { Document, isMap, isNode, parseDocument } from "yaml"
import { type CueOverride, type CueOverrides, OverridesFile } from "../../domain/manifest/CueOverride.ts"
import type { JobApprovals, SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import { replaceFile } from "../../system/AtomicFile.ts"
import { overridesPath } from "./BatchId.ts"
import { inputText } from "./InputFile.ts"
import { readSettings } from "../../settings/SettingsText.ts"
import { rejectInput, rejectInputs } from "./InputRejected.ts"

/** The content of the file, by job id. */
export interface OverridesFileContent {
  readonly jobs: Readonly<Record<string, CueOverrides>>
  readonly voices: Readonly<Record<string, ReadonlyArray<SpeakerVoice>>>
  readonly approved: Readonly<Record<string, JobApprovals>>
}

/** Reads the overrides beside a manifest; empty if there is no such file. */
export const readOverrides = Effect.fn("OverridesFile.readOverrides")(function* (manifest: string) {
  const file = overridesPath(manifest)
  const text = yield* textOf(file)
  const { jobs, voices, approved } = yield* Either.mapLeft(
    readSettings(OverridesFile, text, shape, { jobs: null }),
    (faults) => rejectInputs(file, faults)
  )
  return {
    jobs: Record.filter(jobs ?? {}, Predicate.isNotNull),
    voices: Record.filter(voices ?? {}, Predicate.isNotNull),
    approved: Record.filter(approved ?? {}, Predicate.isNotNull)
  } satisfies OverridesFileContent
})

/** A value at a place in the file, such as `["jobs", "film", "12"]`; undefined if it is absent. */
export interface OverridesEntry {
  readonly path: readonly [
    section: "jobs" | "voices" | "approved",
    job: string,
    ...rest: ReadonlyArray<string>
  ]
  readonly value: object | undefined
}

/** The file at one side of a change. */
export interface OverridesSide {
  /** The whole file; empty if there was none. */
  readonly text: string
  /** The changed entries. */
  readonly entries: ReadonlyArray<OverridesEntry>
}

/**
 * Sets entries of the file. The rest of it, including comments, is kept. Returns the file before and after. Fails if
 * the file is not valid as overrides, or cannot be written.
 */
export const editOverrides = Effect.fn("OverridesFile.editOverrides")(function* (
  manifest: string,
  entries: ReadonlyArray<OverridesEntry>
) {
  const text = yield* textOf(overridesPath(manifest))
  yield* readOverrides(manifest)
  const document = text.trim() === "" ? fresh() : parseDocument(text)
  // A file of comments alone, or one that says null.
  if (!isMap(document.contents)) document.contents = null
  const before = entries.map(({ path, value }): OverridesEntry => {
    // A key whose entries were all deleted by hand is null; make it a mapping again.
    for (let depth = 1; depth < path.length; depth++)
      if (document.getIn(path.slice(0, depth)) === null)
        document.setIn(path.slice(0, depth), document.createNode({}))
    const known = keysOf(path).filter((key) => document.hasIn(key))
    const [found] = known.map((key) => document.getIn(key))
    for (const key of known) document.deleteIn(key)
    for (let depth = 1; depth < path.length; depth++) {
      const map = document.getIn(path.slice(0, depth))
      // An empty mapping is written as {}; it would keep all its entries on that line.
      if (isMap(map) && map.items.length === 0) map.flow = false
    }
    if (value !== undefined) document.setIn(path, document.createNode(value))
    for (let depth = path.length - 1; depth > 1; depth--) {
      const left = document.getIn(path.slice(0, depth))
      if (isMap(left) && left.items.length === 0) document.deleteIn(path.slice(0, depth))
    }
    const was: unknown = isNode(found) ? found.toJS(document) : undefined
    return { path, value: Predicate.isObject(was) ? was : undefined }
  })
  yield* replaceOverrides(manifest, document.toString({ lineWidth: 0 }))
  const sides: { readonly before: OverridesSide; readonly after: OverridesSide } = {
    before: { text, entries: before },
    after: { text: yield* overridesText(manifest), entries }
  }
  return sides
})

/** A cue's key may be a number or a string in YAML. */
const keysOf = (path: OverridesEntry["path"]): ReadonlyArray<ReadonlyArray<string | number>> => {
  const last = path.at(-1) ?? ""
  return path.length > 2 && `${Number(last)}` === last ? [path, [...path.slice(0, -1), Number(last)]] : [path]
}

/** Writes changes to one job's cues into the file, by cue name; undefined removes a change. */
export const writeOverrides = (
  manifest: string,
  job: string,
  changes: Readonly<Record<string, CueOverride | undefined>>
) => editOverrides(manifest, cueEntries(job, changes))

/** Changes to one job's cues as entries of the file. */
export const cueEntries = (
  job: string,
  changes: Readonly<Record<string, CueOverride | undefined>>
): ReadonlyArray<OverridesEntry> =>
  Object.entries(changes).map(([cue, value]) => ({ path: ["jobs", job, cue], value }))

/** Returns the whole text of the overrides beside a manifest; empty if there is no such file. */
export const overridesText = (manifest: string) => textOf(overridesPath(manifest))

/** Writes the whole file. Fails if it cannot be written. */
export const replaceOverrides = Effect.fn("OverridesFile.replaceOverrides")(function* (
  manifest: string,
  text: string
) {
  const fs = yield* FileSystem.FileSystem
  const file = overridesPath(manifest)
  const refused = (cause: unknown) =>
    rejectInput(file, `cannot be written (${cause instanceof Error ? cause.message : String(cause)})`)
  yield* replaceFile(
    file,
    (part) => Effect.mapError(fs.writeFileString(part, text), refused),
    (_, cause) => refused(cause)
  )
})

const textOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const there = yield* Effect.orElseSucceed(fs.exists(file), () => true)
  return there ? yield* inputText(file, file) : ""
})

const shape = "expected jobs: { <job id>: { <cue number>: changes } }"

const fresh = (): Document => {
  const document = new Document({ jobs: {} })
  document.commentBefore =
    " Changes to single cues, accepted in dubwright review. Every run applies them; delete an entry to undo it."
  return document
}
