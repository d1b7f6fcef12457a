/** Writes files of a batch's output folder. Each is complete or absent. */
import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Schema, Stream } from "effect"
import { replaceFile } from "../../system/AtomicFile.ts"
import { makeFolder } from "../../system/Folder.ts"

/** A result that could not be written. */
export class ResultUnwritable extends Schema.TaggedError<ResultUnwritable>()("ResultUnwritable", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: cannot be written: ${this.detail}; fix this or set another folder with --out, then run again`
  }
}

/** Writes a file from a string, an iterable of strings, or bytes. */
export const writeResult = Effect.fn("ResultFolder.writeResult")(function* (
  path: string,
  content: string | Uint8Array | Iterable<string>
) {
  const fs = yield* FileSystem.FileSystem
  yield* replaceFile(
    path,
    (part) =>
      Effect.mapError(
        Stream.run(Stream.fromIteratorSucceed(bytesOf(content), 1), fs.sink(part)),
        (error) => new ResultUnwritable({ path, detail: writeFailureText(error) })
      ),
    unwritableResult
  )
})

/**
 * Writes bytes as `writeResult` does, unless the file already holds the same, but for some bytes. Editor projects that
 * refer to the file then see no change.
 */
export const writeChanged = Effect.fn("ResultFolder.writeChanged")(function* (
  path: string,
  content: Uint8Array,
  except: { readonly from: number; readonly to: number }
) {
  const fs = yield* FileSystem.FileSystem
  const isSame = yield* fs.stat(path).pipe(
    Effect.filterOrFail(({ type, size }) => type === "File" && Number(size) === content.length),
    Effect.zipRight(fs.readFile(path)),
    Effect.map((held) => {
      held.set(content.subarray(except.from, except.to), except.from)
      return Buffer.compare(held, content) === 0
    }),
    Effect.orElseSucceed(() => false)
  )
  if (!isSame) yield* writeResult(path, content)
})

/** How many characters to buffer before a write. */
const atOnce = 64 * 1024

/** Encodes content in chunks; yields no empty chunk, which the file sink would not accept. */
function* bytesOf(content: string | Uint8Array | Iterable<string>): Generator<Uint8Array> {
  if (content instanceof Uint8Array) {
    if (content.length > 0) yield content
    return
  }
  const encoder = new TextEncoder()
  let text = ""
  for (const piece of typeof content === "string" ? [content] : content) {
    text += piece
    if (text.length < atOnce) continue
    yield encoder.encode(text)
    text = ""
  }
  if (text !== "") yield encoder.encode(text)
}

/** Creates a folder if it is missing. Fails if it is not writable, before any speech is charged. */
export const openFolder = Effect.fn("ResultFolder.openFolder")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.try({ try: () => makeFolder(path), catch: (cause) => unwritableResult(path, cause) })
  yield* fs
    .access(path, { writable: true })
    .pipe(Effect.mapError((error) => new ResultUnwritable({ path, detail: writeFailureText(error) })))
})

const unwritableResult = (path: string, cause: unknown): ResultUnwritable =>
  new ResultUnwritable({ path, detail: cause instanceof Error ? cause.message : String(cause) })

/** The message for a file that cannot be written. */
export const writeFailureText = (error: PlatformError): string =>
  error._tag === "SystemError" && error.reason === "PermissionDenied"
    ? "no permission to write there"
    : (error.description ?? error.message)
