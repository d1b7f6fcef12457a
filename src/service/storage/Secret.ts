/** The service's secret: under it keys are hashed and file addresses signed. */
import { createHmac, randomBytes } from "node:crypto"
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { DataFolderUnusable, openFailureReason } from "./Database.ts"

/** 32 random bytes that never leave the data folder. */
export type Secret = Redacted.Redacted<Buffer>

/**
 * The data folder's secret, made when it is first asked for. It lies in a file of its own, so that a copy of the
 * database alone helps nobody to guess keys. Two processes that make it at once end with the same one.
 */
export const loadSecret = (folder: string): Effect.Effect<Secret, DataFolderUnusable> =>
  Effect.try({
    try: () => {
      const file = join(folder, "secret")
      const found = read(file)
      if (found !== undefined) return Redacted.make(found)
      const fresh = `${file}.${randomBytes(8).toString("hex")}`
      writeFileSync(fresh, randomBytes(size), { mode: 0o600, flag: "wx", flush: true })
      try {
        linkSync(fresh, file)
      } catch (cause) {
        if (read(file) === undefined) throw cause
      } finally {
        unlinkSync(fresh)
      }
      const made = read(file)
      if (made === undefined) throw new Error("the secret vanished while it was made")
      return Redacted.make(made)
    },
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `the secret in it cannot be used (${openFailureReason(cause)})`
      })
  })

/** A keyed digest of 32 bytes; `purpose` keeps the digests of different uses apart. */
export const digest = (secret: Secret, purpose: "key" | "address", value: string): Buffer =>
  createHmac("sha256", Redacted.value(secret)).update(purpose).update("\0").update(value).digest()

const size = 32

const read = (file: string): Buffer | undefined => {
  try {
    const bytes = readFileSync(file)
    if (bytes.length !== size) throw new Error(`${file} should hold ${size} bytes and holds ${bytes.length}`)
    return bytes
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
