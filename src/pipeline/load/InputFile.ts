/**
 * Files that a person names: read only where they are files, since a pipe without a writer is waited for without an
 * end.
 */
import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect } from "effect"
import { rejectInput } from "./InputRejected.ts"

/**
 * The most bytes of a text: some half a million cues, and all that memory holds many times over while they are planned.
 */
const mostBytes = 32 * 1024 * 1024

/** A text file's bytes; `name` is what its user calls it. */
export const inputBytes = Effect.fnUntraced(function* (path: string, name: string) {
  const fs = yield* FileSystem.FileSystem
  const refuse = (why: string) => rejectInput(name, why)
  const { size, type } = yield* Effect.mapError(fs.stat(path), (error) => refuse(unreadableInput(error)))
  const strange = noFile(type)
  if (strange !== undefined) return yield* refuse(strange)
  if (size > mostBytes) {
    return yield* refuse(`${size} bytes, which is too much for a text: expected at most ${mostBytes}`)
  }
  return yield* Effect.mapError(fs.readFile(path), (error) => refuse(unreadableInput(error)))
})

/** The text of a file that dubwright itself has a say in, and which is UTF-8 therefore. */
export const inputText = Effect.fnUntraced(function* (path: string, name: string) {
  const bytes = yield* inputBytes(path, name)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => rejectInput(name, "not UTF-8 text: save it as UTF-8", 1)
  })
})

/** Why a path does not lead to a file that could be read, in words; undefined where it does. */
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
      : "a pipe or a device, not a file: write what it gives into a file, and name that"

/** Why a file cannot be read, in words. */
export const unreadableInput = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return error.message
  if (error.reason === "NotFound") return "no such file"
  if (error.reason === "PermissionDenied") return "no permission to read it"
  if (/EISDIR/u.test(error.message)) return "a folder, not a file"
  if (/ELOOP/u.test(error.message)) return "a link that leads back to itself"
  return `cannot be read (${error.message})`
}
