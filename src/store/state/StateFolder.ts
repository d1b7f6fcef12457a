/** The state folder of a batch: its database, its clips, and the lock of its single writer. */
import type { Database } from "better-sqlite3"
import { Context, type Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { StateUnusable } from "./StateErrors.ts"

/** A folder of clips to which several machines write, or a copy of one. */
export interface SharedClips {
  /** Absolute path. */
  readonly folder: string
  /** Returns the clips that are not stored with the given size; undefined if the folder itself is what is shared. */
  readonly missing:
    | ((
        sizes: ReadonlyMap<UtteranceKey, number>
      ) => Effect.Effect<ReadonlyArray<UtteranceKey>, StateUnusable>)
    | undefined
}

/** An open state folder. */
export class StateFolder extends Context.Tag("store/StateFolder")<
  StateFolder,
  {
    /** Absolute path. */
    readonly folder: string
    /** Absolute path of the clip folder. */
    readonly clips: string
    /** The clip folder, if other machines write to it, too. */
    readonly shared: SharedClips | undefined
    /** The database's write-ahead log, synced to disk before a create is sent. Undefined if the folder is read-only. */
    readonly log: string | undefined
    /**
     * A separate connection for utterance changes. Undefined if the folder is read-only or the database is in memory.
     */
    readonly changes: Database | undefined
  }
>() {}
