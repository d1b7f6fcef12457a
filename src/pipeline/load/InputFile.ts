/**
 * Reads the files that a user names, and rejects folders, pipes, devices and oversized files. Reading a pipe without a
 * writer would never end.
 */
import { resolve } from "node:path"
import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect } from "effect"
import { scriptEndings } from "../../script/ScriptFile.ts"
import { unreadByName } from "../../script/formats/UnreadFormats.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { manifestEndings } from "./BatchId.ts"
import { InputFault, type InputRejected, rejectInput } from "./InputRejected.ts"

/**
 * The largest text file in bytes: about half a million cues. Planning needs many times that much memory.
 */
const maxBytes = 32 * 1024 * 1024

/** A text file as it was read. */
export interface InputContent {
  readonly bytes: Uint8Array
  /** The checksum of these bytes. */
  readonly digest: string
}

/** Reads a text file. `name` is the path as the user wrote it, for messages. */
export type ReadInput = (
  path: string,
  name: string
) => Effect.Effect<InputContent, InputRejected, FileSystem.FileSystem>

/** The content of a text file; fails with the reason why it cannot be read. */
const contentOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const { size, type } = yield* Effect.mapError(fs.stat(path), unreadableInput)
  const strange = noFile(type)
  if (strange !== undefined) return yield* Effect.fail(strange)
  if (size > maxBytes)
    return yield* Effect.fail(`${size} bytes is too large for a text file; the limit is ${maxBytes} bytes`)
  const bytes = yield* Effect.mapError(fs.readFile(path), unreadableInput)
  return { bytes, digest: checksumOf(bytes) } satisfies InputContent
})

export const readInput: ReadInput = (path, name) =>
  Effect.mapError(contentOf(path), (why) => rejectInput(name, why))

/** A reader that caches each file after one read, so that its digest and its text come from the same bytes. */
export const readOnce: Effect.Effect<ReadInput> = Effect.map(
  Effect.cachedFunction(contentOf),
  (content): ReadInput =>
    (path, name) =>
      Effect.mapError(content(resolve(path)), (why) => rejectInput(name, why))
)

/** Reads a file in one of dubwright's own formats, such as a manifest: these are always UTF-8. */
export const inputText = Effect.fnUntraced(function* (
  path: string,
  name: string,
  read: ReadInput = readInput
) {
  const { bytes } = yield* read(path, name)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => rejectInput(name, "not UTF-8 text; save it as UTF-8", 1)
  })
})

/** Why a path does not name a regular file; undefined if it does. */
export const fileFault = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.match(fs.stat(path), {
    onFailure: unreadableInput,
    onSuccess: ({ type }) => noFile(type)
  })
})

const noFile = (type: FileSystem.File.Type): string | undefined =>
  type === "File"
    ? undefined
    : type === "Directory"
      ? "a folder, not a file"
      : "a pipe or device, not a file; save its output to a file and name that file"

/** The message for a file that cannot be read. */
export const unreadableInput = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return error.message
  if (error.reason === "NotFound") return "no such file; check the path"
  if (error.reason === "PermissionDenied") return "no permission to read it"
  if (/EISDIR/u.test(error.message)) return "a folder, not a file"
  if (/ELOOP/u.test(error.message)) return "a symbolic link that points back to itself"
  return `cannot be read (${error.message})`
}

/** Says why an input is neither a manifest nor a script, by its name. */
export const unknownInput = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const endings = scriptEndings.map((ending) => `.${ending}`).join(", ")
  const isFolder = yield* Effect.match(fs.stat(file), {
    onFailure: () => false,
    onSuccess: ({ type }) => type === "Directory"
  })
  return InputFault.make({
    file,
    message:
      unreadByName(file) ??
      (isFolder
        ? `a folder, not a file; name its files, such as "${file.replace(/[\\/]+$/u, "")}/*.srt"`
        : `expected a manifest (${manifestEndings.join(", ")}) or a script (${endings})`)
  })
})
