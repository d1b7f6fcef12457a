/** The folder of a batch's results: every file whole or not at all, none outside it. */
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
    return `${this.path}: cannot be written: ${this.detail}; mend that, or name another folder with --out, and run again`
  }
}

/** Writes a file's text, its text piece by piece, or its bytes beside its place and renames it. */
export const writeResult = Effect.fn("ResultFolder.write")(function* (
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
 * Writes bytes as `writeResult` does, unless the file already holds exactly these: an editor's project that refers to
 * the file then sees no change.
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

/** Characters of text that are written at once. */
const atOnce = 64 * 1024

/** A file takes no empty pieces. */
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
 * Makes a folder where it is missing; fails where nothing can be written in it, which is better known before speech is
 * paid for.
 */
export const openFolder = Effect.fn("ResultFolder.open")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  yield* made(path, path)
  yield* fs
    .access(path, { writable: true })
    .pipe(Effect.mapError((error) => new ResultUnwritable({ path, detail: writeFailureText(error) })))
})

/** Makes a folder for the sake of `path`, which is what cannot be written where that fails. */
const made = (folder: string, path: string): Effect.Effect<void, ResultUnwritable> =>
  Effect.try({
    try: () => makeFolder(folder),
    catch: (cause) =>
      new ResultUnwritable({ path, detail: cause instanceof Error ? cause.message : String(cause) })
  })

/** Why a file cannot be written, in words. */
export const writeFailureText = (error: PlatformError): string =>
  error._tag === "SystemError" && error.reason === "PermissionDenied"
    ? "no permission to write there"
    : (error.description ?? error.message)
