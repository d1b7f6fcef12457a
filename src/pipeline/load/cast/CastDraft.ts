/** Adds speakers to a cast file and keeps everything else in it, comments too. */
import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { Document, isMap, parseDocument } from "yaml"
import type { CastVoice } from "../../../domain/manifest/CastSettings.ts"
import { replaceFile } from "../../../system/AtomicFile.ts"
import { rejectInput } from "../InputRejected.ts"

/** A speaker's voice in a language for which the cast has none. */
export interface CastAddition {
  readonly speaker: string
  /** A language tag, or `*`. */
  readonly language: string
  readonly voice: CastVoice
}

/** Writes the additions; creates the file if there is none. */
export const addToCast = Effect.fn("CastDraft.addToCast")(function* (
  file: string,
  additions: ReadonlyArray<CastAddition>
) {
  if (additions.length === 0) return
  const fs = yield* FileSystem.FileSystem
  const refused = (cause: unknown) =>
    rejectInput(file, `cannot be written (${cause instanceof Error ? cause.message : String(cause)})`)
  const there = yield* Effect.orElseSucceed(fs.exists(file), () => true)
  const text = there ? yield* Effect.mapError(fs.readFileString(file), refused) : ""
  const document = text.trim() === "" ? new Document({ speakers: {} }) : parseDocument(text)
  if (!isMap(document.get("speakers"))) document.set("speakers", document.createNode({}))
  for (const { speaker, language, voice } of additions) {
    const place = ["speakers", speaker]
    if (!isMap(document.getIn(place))) document.setIn(place, document.createNode({}, { flow: true }))
    document.setIn([...place, language], document.createNode(voice, { flow: true }))
  }
  yield* replaceFile(
    file,
    (part) => Effect.mapError(fs.writeFileString(part, document.toString({ lineWidth: 0 })), refused),
    (_, cause) => refused(cause)
  )
})
