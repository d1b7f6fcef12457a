/** Key management for the `keys` commands: create, import, list, grant, revoke. Works while the service runs. */
import { existsSync } from "node:fs"
import { Effect, Layer, type Redacted } from "effect"
import { DataFolder, DataFolderUnusable } from "../storage/DataFolder.ts"
import { RowMismatch } from "../storage/CheckedRows.ts"
import { fileIn, serviceDatabase } from "../storage/Database.ts"
import { Secret } from "../storage/Secret.ts"
import type { AuditEntry } from "./AuditLog.ts"
import type { KeyInfo, KeyOptions, KeyRejected } from "./KeyRecord.ts"
import { KeyStore } from "./KeyStore.ts"

export type { KeyInfo, KeyOptions } from "./KeyRecord.ts"

/** Creates a key and returns it. It cannot be read again later. */
export const createKey = (
  dataDir: string,
  options: KeyOptions
): Effect.Effect<Redacted.Redacted<string>, KeyRejected | DataFolderUnusable> =>
  withKeys(dataDir, (keys) => keys.create(options))

/** Imports an older key, which need not have the prefix. */
export const importKey = (
  dataDir: string,
  key: Redacted.Redacted<string>,
  options: KeyOptions
): Effect.Effect<void, KeyRejected | DataFolderUnusable> =>
  withKeys(dataDir, (keys) => keys.importKey(key, options))

/** Lists all keys, revoked ones included, oldest first. */
export const listKeys = (dataDir: string): Effect.Effect<ReadonlyArray<KeyInfo>, DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.list)
  )

/** Lists the last entries of the audit log, oldest first. */
export const auditEntries = (
  dataDir: string,
  limit: number
): Effect.Effect<ReadonlyArray<AuditEntry>, DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.audit(limit))
  )

/** Grants an account more credits. Returns its new total; undefined if the account is unlimited. */
export const grantCredits = (
  dataDir: string,
  account: number,
  credits: number
): Effect.Effect<number | undefined, KeyRejected | DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.grant(account, credits))
  )

/** Revokes a key by its id, or by its name if only one valid key has that name. */
export const revokeKey = (
  dataDir: string,
  which: string
): Effect.Effect<KeyInfo, KeyRejected | DataFolderUnusable> =>
  Effect.zipRight(
    there(dataDir),
    withKeys(dataDir, (keys) => keys.revoke(which))
  )

/** Fails if the folder has no database: then its name was probably mistyped. */
const there = (folder: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.suspend(() =>
    existsSync(fileIn(folder))
      ? Effect.void
      : new DataFolderUnusable({
          folder,
          detail: "no service data here; set the service's folder with --data"
        })
  )

const withKeys = <A, E>(
  dataDir: string,
  use: (keys: KeyStore) => Effect.Effect<A, E>
): Effect.Effect<A, E | DataFolderUnusable> =>
  Effect.provide(
    Effect.flatMap(KeyStore, use).pipe(
      Effect.catchAllDefect((defect) =>
        defect instanceof RowMismatch
          ? new DataFolderUnusable({ folder: dataDir, detail: defect.message })
          : Effect.die(defect)
      )
    ),
    KeyStore.Default.pipe(
      Layer.provide(Layer.merge(serviceDatabase, Secret.Default)),
      Layer.provide(DataFolder.shared({ path: dataDir, durable: true }))
    )
  )
