/** Reads and writes the overrides file beside a manifest: every run applies it, and review adds accepted changes. */
import { FileSystem } from "@effect/platform"
import { Effect, Either, Predicate, Record } from "effect"
import { Document, isMap, parseDocument } from "yaml"
import { type CueOverride, type CueOverrides, OverridesFile } from "../../domain/manifest/CueOverride.ts"
import { replaceFile } from "../../system/AtomicFile.ts"
import { overridesPath } from "./BatchId.ts"
import { inputText } from "./InputFile.ts"
import { readSettings } from "../../settings/SettingsText.ts"
import { rejectInput, rejectInputs } from "./InputRejected.ts"

/** Changes to cues, by job id. */
export interface OverridesFileContent {
  readonly jobs: Readonly<Record<string, CueOverrides>>
}

/** Reads the overrides beside a manifest; empty if there is no such file. */
export const readOverrides = Effect.fn("OverridesFile.readOverrides")(function* (manifest: string) {
  const file = overridesPath(manifest)
  const text = yield* textOf(file)
  const { jobs } = yield* Either.mapLeft(readSettings(OverridesFile, text, shape, { jobs: null }), (faults) =>
    rejectInputs(file, faults)
  )
  const overrides: OverridesFileContent = { jobs: Record.filter(jobs ?? {}, Predicate.isNotNull) }
  return overrides
})

/**
 * Writes changes to one job's cues into the file, by cue name; undefined removes a change. The rest of the file,
 * including comments, is kept. Fails if the file is not valid as overrides, or cannot be written.
 */
export const writeOverrides = Effect.fn("OverridesFile.writeOverrides")(function* (
  manifest: string,
  job: string,
  changes: Readonly<Record<string, CueOverride | undefined>>
) {
  const file = overridesPath(manifest)
  const text = yield* textOf(file)
  yield* readOverrides(manifest)
  const document = text.trim() === "" ? fresh() : parseDocument(text)
  // A key whose entries were all deleted by hand is null; make it a mapping again.
  for (const path of [["jobs"], ["jobs", job]])
    if (document.getIn(path) === null) document.setIn(path, document.createNode({}))
  for (const [cue, change] of Object.entries(changes)) {
    // The key may be a number or a string in YAML.
    for (const key of [cue, Number(cue)])
      if (document.hasIn(["jobs", job, key])) document.deleteIn(["jobs", job, key])
    if (change !== undefined) document.setIn(["jobs", job, cue], document.createNode(change))
  }
  const left = document.getIn(["jobs", job])
  if (isMap(left) && left.items.length === 0) document.deleteIn(["jobs", job])
  yield* replaceOverrides(manifest, document.toString({ lineWidth: 0 }))
})

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
