/** The overrides file beside a manifest: read by every run, written when a change is accepted in review. */
import { FileSystem } from "@effect/platform"
import { Effect, Predicate, Record } from "effect"
import { Document, isMap, parseDocument } from "yaml"
import { type CueOverride, type CueOverrides, OverridesFile } from "../../domain/manifest/CueOverride.ts"
import { inputText } from "./InputFile.ts"
import { rejectInput } from "./InputRejected.ts"
import { readChecked } from "./ManifestFile.ts"

/** Where a manifest's overrides are. */
export const overridesPath = (manifest: string): string => `${manifest}.overrides.yaml`

/** Changes of cues by job. */
export interface OverridesFileContent {
  readonly jobs: Readonly<Record<string, CueOverrides>>
}

/** The overrides beside a manifest; none where there is no such file. */
export const readOverrides = Effect.fn("OverridesFile.read")(function* (manifest: string) {
  const file = overridesPath(manifest)
  const text = yield* textOf(file)
  const { jobs } = text.trim() === "" ? { jobs: null } : yield* readChecked(OverridesFile, text, file, shape)
  const overrides: OverridesFileContent = { jobs: Record.filter(jobs ?? {}, Predicate.isNotNull) }
  return overrides
})

/**
 * Writes changes of one job's cues into the file, by their names; undefined takes a change back. What else stands in
 * the file, comments included, stays. Fails where the file cannot be read as overrides, or not be written.
 */
export const writeOverrides = Effect.fn("OverridesFile.write")(function* (
  manifest: string,
  job: string,
  changes: Readonly<Record<string, CueOverride | undefined>>
) {
  const fs = yield* FileSystem.FileSystem
  const file = overridesPath(manifest)
  const text = yield* textOf(file)
  yield* readOverrides(manifest)
  const document = text.trim() === "" ? fresh() : parseDocument(text)
  // What was emptied by hand is no mapping that an entry could be put into.
  for (const path of [["jobs"], ["jobs", job]])
    if (document.getIn(path) === null) document.setIn(path, document.createNode({}))
  for (const [cue, change] of Object.entries(changes)) {
    // A cue's number may stand there as a number or as text.
    for (const key of [cue, Number(cue)])
      if (document.hasIn(["jobs", job, key])) document.deleteIn(["jobs", job, key])
    if (change !== undefined) document.setIn(["jobs", job, cue], document.createNode(change))
  }
  const left = document.getIn(["jobs", job])
  if (isMap(left) && left.items.length === 0) document.deleteIn(["jobs", job])
  const part = `${file}.part`
  yield* fs.writeFileString(part, document.toString({ lineWidth: 0 })).pipe(
    Effect.zipRight(fs.rename(part, file)),
    Effect.tapError(() => Effect.ignore(fs.remove(part, { force: true }))),
    Effect.mapError((error) => rejectInput(file, `cannot be written (${error.message})`))
  )
})

const textOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const there = yield* Effect.orElseSucceed(fs.exists(file), () => true)
  return there ? yield* inputText(file, file) : ""
})

const shape = "expected a mapping named jobs, of job ids, of cue numbers"

const fresh = (): Document => {
  const document = new Document({ jobs: {} })
  document.commentBefore =
    " Changes to single cues, as accepted in dubwright review. Every run honours them; delete an entry to take it back."
  return document
}
