/** The service's secret: hashes keys and signs file URLs (HMAC-SHA-256). */
import { createHmac, randomBytes } from "node:crypto"
import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { DataFolder, DataFolderUnusable, openFailureReason } from "./DataFolder.ts"

const digests = (secret: Redacted.Redacted<Buffer>) => ({
  /** Returns a keyed digest of 32 bytes. Digests of different purposes never match. */
  digest: (purpose: "key" | "address" | "body" | "webhook", value: string): Buffer =>
    createHmac("sha256", Redacted.value(secret)).update(purpose).update("\0").update(value).digest()
})

/** 32 random bytes; never leave the place where the files are. */
export class Secret extends Effect.Service<Secret>()("service/Secret", {
  effect: Effect.map(
    Effect.flatMap(DataFolder, ({ path }) => loadSecret(path)),
    digests
  )
}) {
  /** The secret of replicas. */
  static readonly of32Bytes = (bytes: Buffer): Secret => new Secret(digests(Redacted.make(bytes)))
}

/**
 * Loads the data folder's secret, or creates it. It has its own file, so that a copy of the database alone does not
 * help to guess keys. Two processes that create it at once get the same one.
 */
const loadSecret = (folder: string): Effect.Effect<Redacted.Redacted<Buffer>, DataFolderUnusable> =>
  Effect.try({
    try: () => {
      const file = join(folder, "secret")
      const found = read(file)
      if (found !== undefined) return Redacted.make(found)
      const fresh = `${file}.${randomBytes(8).toString("hex")}`
      writeFileSync(fresh, randomBytes(secretSize), { mode: 0o600, flag: "wx", flush: true })
      try {
        linkSync(fresh, file)
      } catch (cause) {
        if (read(file) === undefined) throw cause
      } finally {
        unlinkSync(fresh)
      }
      const made = read(file)
      if (made === undefined)
        throw new Error(
          "another program deleted the secret file while it was being created; start the service again"
        )
      return Redacted.make(made)
    },
    catch: (cause) =>
      new DataFolderUnusable({
        folder,
        detail: `cannot read or create the secret file (${openFailureReason(cause)})`
      })
  })

/** Bytes of a secret. */
export const secretSize = 32

const read = (file: string): Buffer | undefined => {
  try {
    const bytes = readFileSync(file)
    if (bytes.length !== secretSize)
      throw new Error(`${file}: expected ${secretSize} bytes, found ${bytes.length}`)
    return bytes
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
