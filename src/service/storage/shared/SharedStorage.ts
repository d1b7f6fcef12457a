/**
 * The storage that replicas of the service share: a PostgreSQL database, the files in S3, and the secret beside these
 * files.
 */
import { createHash, randomBytes } from "node:crypto"
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlClient as Sql } from "@effect/sql/SqlClient"
import { Effect, Layer, Option } from "effect"
import { ifPresent, openS3, type S3Client } from "../../../system/s3/S3Client.ts"
import { readS3Settings } from "../../../system/s3/S3Settings.ts"
import { type DataFolder, DataFolderUnusable } from "../DataFolder.ts"
import type { FileStore } from "../FileStore.ts"
import type { Replica } from "../Replica.ts"
import { Secret, secretSize } from "../Secret.ts"
import type { SharedStorageUrls } from "../SharedStorageUrls.ts"
import { exclusively, postgres, postgresName } from "./Postgres.ts"
import { s3Files } from "./S3Files.ts"

/** Opens the database and the secret. */
export const sharedAccounts = (
  urls: SharedStorageUrls
): Layer.Layer<SqlClient | Replica | Secret, DataFolderUnusable> =>
  Layer.unwrapScoped(Effect.map(openFiles(urls), (s3) => accountsOver(urls, s3, 0)))

/**
 * Opens the storage that replicas share. The data folder is only for files that are being written. `lease`: seconds
 * after which other replicas speak the tasks of a silent one.
 */
export const sharedStorage = (
  urls: SharedStorageUrls,
  lease = 15
): Layer.Layer<SqlClient | Replica | Secret | FileStore, DataFolderUnusable, DataFolder> =>
  Layer.unwrapScoped(
    Effect.map(openFiles(urls), (s3) => Layer.mergeAll(accountsOver(urls, s3, lease * 1000), s3Files(s3)))
  )

const openFiles = ({ files }: SharedStorageUrls) =>
  Effect.flatMap(
    Effect.mapError(readS3Settings(files), ({ detail }) => refused(files, detail)),
    openS3
  )

const accountsOver = (urls: SharedStorageUrls, s3: S3Client, lease: number) =>
  Layer.provideMerge(
    Layer.effect(Secret, Effect.map(secretIn(urls, s3), Secret.of32Bytes)),
    postgres(urls.database, lease)
  )

const refused = (folder: string, detail: string) => new DataFolderUnusable({ folder, detail })

/**
 * Reads the secret, or creates it in an empty prefix. It is not in the database, so that a copy of the database alone
 * does not help to guess keys. The database has its digest: files of another database would be deleted as abandoned.
 */
const secretIn = ({ database }: SharedStorageUrls, s3: S3Client) =>
  exclusively(
    Effect.gen(function* () {
      const sql = yield* Sql
      const [known] = yield* sql<{ digest: string }>`SELECT digest FROM file_secret`
      const found = yield* read(s3)
      if (known === undefined) {
        if (found !== undefined && (yield* s3.list("files/", 1)).objects.length > 0)
          return yield* refused(s3.name, `has files of another service; choose another prefix with --files`)
        const secret = found ?? randomBytes(secretSize)
        if (found === undefined) yield* s3.putBytes("secret", secret)
        yield* sql`INSERT INTO file_secret ${sql.insert({ id: 1, digest: digestOf(secret) })}`
        return secret
      }
      if (found === undefined)
        return yield* refused(
          s3.name,
          `the object "secret" is missing; restore it, or choose the bucket that has it`
        )
      if (digestOf(found) !== known.digest)
        return yield* refused(
          s3.name,
          `belongs to another service than ${postgresName(database)}; pass the --database and --files of one service`
        )
      return found
    })
  ).pipe(
    Effect.catchTag("SqlError", ({ message }) =>
      refused(postgresName(database), `cannot be used (${message})`)
    ),
    Effect.catchTag("S3Failed", ({ detail }) => refused(s3.name, `cannot be used (${detail})`))
  )

const digestOf = (secret: Buffer): string => createHash("sha256").update(secret).digest("hex")

/** Reads the secret; undefined if there is none. */
const read = (s3: S3Client) =>
  Effect.scoped(
    Effect.flatMap(s3.read("secret"), (bytes) =>
      Effect.promise(async () => {
        const pieces: Array<Buffer> = []
        for await (const piece of bytes) pieces.push(Buffer.from(piece))
        return Buffer.concat(pieces)
      })
    )
  ).pipe(
    Effect.filterOrFail(
      (secret) => secret.length === secretSize,
      (secret) => refused(s3.name, `the object "secret" has ${secret.length} bytes instead of ${secretSize}`)
    ),
    ifPresent,
    Effect.map(Option.getOrUndefined)
  )
