/** Writes files of a batch's output folder. Each is written to a temporary file and renamed, so it appears whole. */
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Schema, Stream } from "effect"
import { makeFolder } from "../../store/state/Folder.ts"

/** A result that could not be written. */
export class ResultUnwritable extends Schema.TaggedError<ResultUnwritable>()("ResultUnwritable", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: cannot be written: ${this.detail}; fix this or set another folder with --out, then run again`
  }
}

/** Writes a file from a string, an iterable of strings, or bytes: to a `.part` file first, then renames it. */
export const writeResult = Effect.fn("ResultFolder.writeResult")(function* (
  path: string,
  content: string | Uint8Array | Iterable<string>
) {
  const fs = yield* FileSystem.FileSystem
  const { dirname, basename, join } = yield* Path.Path
  const part = join(dirname(path), `.${basename(path)}.part`)
  yield* made(dirname(path), path)
  yield* Stream.fromIteratorSucceed(bytesOf(content), 1).pipe(
    Stream.run(fs.sink(part)),
    Effect.zipRight(fs.rename(part, path)),
    Effect.tapError(() => Effect.ignore(fs.remove(part, { force: true }))),
    Effect.mapError((error) => new ResultUnwritable({ path, detail: writeFailureText(error) }))
  )
})

/**
 * Writes bytes as `writeResult` does, unless the file already holds exactly these. Editor projects that refer to the
 * file then see no change.
 */
export const writeChanged = Effect.fn("ResultFolder.writeChanged")(function* (
  path: string,
  content: Uint8Array
) {
  const fs = yield* FileSystem.FileSystem
  const isSame = yield* fs.stat(path).pipe(
    Effect.filterOrFail(({ type, size }) => type === "File" && Number(size) === content.length),
    Effect.zipRight(fs.readFile(path)),
    Effect.map((held) => Buffer.compare(held, content) === 0),
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

/**
 * Creates a folder if it is missing. Fails if it is not writable, before any speech is paid for.
 */
export const openFolder = Effect.fn("ResultFolder.openFolder")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  yield* made(path, path)
  yield* fs
    .access(path, { writable: true })
    .pipe(Effect.mapError((error) => new ResultUnwritable({ path, detail: writeFailureText(error) })))
})

/** Creates a folder for `path`; the error names `path`. */
const made = (folder: string, path: string): Effect.Effect<void, ResultUnwritable> =>
  Effect.try({
    try: () => makeFolder(folder),
    catch: (cause) =>
      new ResultUnwritable({ path, detail: cause instanceof Error ? cause.message : String(cause) })
  })

/** The message for a file that cannot be written. */
export const writeFailureText = (error: PlatformError): string =>
  error._tag === "SystemError" && error.reason === "PermissionDenied"
    ? "no permission to write there"
    : (error.description ?? error.message)
