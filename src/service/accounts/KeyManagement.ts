/** Key management for the `keys` commands: create, import, list, grant, revoke. Works while the service runs. */
import { existsSync } from "node:fs"
import { Effect, Layer, type Redacted } from "effect"
import { DataFolder, DataFolderUnusable } from "../storage/DataFolder.ts"
import { RowMismatch } from "../storage/CheckedRows.ts"
import { fileIn, serviceDatabase } from "../storage/Database.ts"
import { Secret } from "../storage/Secret.ts"
import type { SharedStorageUrls } from "../storage/SharedStorageUrls.ts"
import type { KeyOptions } from "./KeyRecord.ts"
import { KeyStore } from "./KeyStore.ts"

export type { KeyInfo, KeyOptions } from "./KeyRecord.ts"

/** A service: its data folder, or what its replicas share. */
export type KeysPlace = string | SharedStorageUrls

/** Creates a key and returns it. It cannot be read again later. */
export const createKey = (place: KeysPlace, options: KeyOptions) =>
  withKeys(place, (keys) => keys.create(options))

/** Imports an older key, which need not have the prefix. */
export const importKey = (place: KeysPlace, key: Redacted.Redacted<string>, options: KeyOptions) =>
  withKeys(place, (keys) => keys.importKey(key, options))

/** Lists all keys, revoked ones included, oldest first. */
export const listKeys = (place: KeysPlace) => withKeysThere(place, (keys) => keys.list)

/** Lists the last entries of the audit log, oldest first. */
export const auditEntries = (place: KeysPlace, limit: number) =>
  withKeysThere(place, (keys) => keys.audit(limit))

/** Grants an account more credits. Returns its new total; undefined if the account is unlimited. */
export const grantCredits = (place: KeysPlace, account: number, credits: number) =>
  withKeysThere(place, (keys) => keys.grant(account, credits))

/** Revokes a key by its id, or by its name if only one valid key has that name. */
export const revokeKey = (place: KeysPlace, which: string) =>
  withKeysThere(place, (keys) => keys.revoke(which))

/** Fails if the folder has no database: then its name was probably mistyped. */
const withKeysThere = <A, E>(place: KeysPlace, use: (keys: KeyStore) => Effect.Effect<A, E>) =>
  Effect.suspend((): Effect.Effect<A, E | DataFolderUnusable> =>
    typeof place !== "string" || existsSync(fileIn(place))
      ? withKeys(place, use)
      : new DataFolderUnusable({
          folder: place,
          detail: "no service data here; set the service's folder with --data"
        })
  )

const withKeys = <A, E>(place: KeysPlace, use: (keys: KeyStore) => Effect.Effect<A, E>) =>
  Effect.provide(
    Effect.flatMap(KeyStore, use).pipe(
      Effect.catchAllDefect((defect) =>
        defect instanceof RowMismatch
          ? new DataFolderUnusable({
              folder: typeof place === "string" ? place : "--database",
              detail: defect.message
            })
          : Effect.die(defect)
      )
    ),
    Layer.provide(KeyStore.Default, storageAt(place))
  )

const storageAt = (place: KeysPlace) =>
  typeof place === "string"
    ? Layer.provide(
        Layer.merge(serviceDatabase, Secret.Default),
        DataFolder.shared({ path: place, durable: true })
      )
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("../storage/SharedStorage.ts")),
          (shared) => shared.sharedAccounts(place)
        )
      )
