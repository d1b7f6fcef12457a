/** The keys of a data folder, as commands manage them. All of it works while the service runs. */
import { existsSync } from "node:fs"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, type Redacted } from "effect"
import * as Database from "../storage/Database.ts"
import { type KeyInfo, type KeyOptions, type KeyRejected, makeKeyStore } from "./KeyStore.ts"
import * as Secret from "../storage/Secret.ts"

export type { KeyInfo, KeyOptions } from "./KeyStore.ts"

/** Makes a key. It is handed out here and never again. */
export const createKey = (
  dataDir: string,
  options: KeyOptions
): Effect.Effect<Redacted.Redacted<string>, KeyRejected | Database.DataFolderUnusable> =>
  withKeys(dataDir, (keys) => keys.create(options))

/** Takes over an older key, which need not have the prefix. */
export const importKey = (
  dataDir: string,
  key: Redacted.Redacted<string>,
  options: KeyOptions
): Effect.Effect<void, KeyRejected | Database.DataFolderUnusable> =>
  withKeys(dataDir, (keys) => keys.importKey(key, options))

/** Every key, revoked ones too, oldest first. */
export const listKeys = (
  dataDir: string
): Effect.Effect<ReadonlyArray<KeyInfo>, Database.DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.list)
  )

/** Grants an account more credits. Returns all that it was granted; undefined where it has no limit. */
export const grantCredits = (
  dataDir: string,
  account: number,
  credits: number
): Effect.Effect<number | undefined, KeyRejected | Database.DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.grant(account, credits))
  )

/** Revokes a key, named by its id or, where only one valid key has it, by its name. From then on it is refused. */
export const revokeKey = (
  dataDir: string,
  which: string
): Effect.Effect<KeyInfo, KeyRejected | Database.DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.revoke(which))
  )

/** A folder without a database has no keys to list or revoke: its name was mistyped. */
const there = (folder: string): Effect.Effect<void, Database.DataFolderUnusable> =>
  Effect.suspend(() =>
    existsSync(Database.fileIn(folder))
      ? Effect.void
      : new Database.DataFolderUnusable({
          folder,
          detail: "no service has kept anything here; name its folder with --data"
        })
  )

const withKeys = <A, E>(
  dataDir: string,
  use: (keys: ReturnType<typeof makeKeyStore>) => Effect.Effect<A, E>
): Effect.Effect<A, E | Database.DataFolderUnusable> =>
  Effect.gen(function* () {
    yield* Database.makeDataFolder(dataDir)
    const secret = yield* Secret.loadSecret(dataDir)
    return yield* Effect.provide(
      Effect.flatMap(SqlClient, (sql) => use(makeKeyStore(sql, secret))),
      Layer.fresh(Database.serviceDatabase(dataDir, { durable: true }))
    )
  })
