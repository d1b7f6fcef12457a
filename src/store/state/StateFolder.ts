/** The state folder of a batch: its database, its clips, and the lock of its single writer. */
import type { Database } from "better-sqlite3"
import { Context } from "effect"

/** An open state folder. */
export class StateFolder extends Context.Tag("store/StateFolder")<
  StateFolder,
  {
    /** Absolute path. */
    readonly folder: string
    /** Absolute path of the clip folder. */
    readonly clips: string
    /** Whether other machines write to the clip folder, too. */
    readonly shared: boolean
    /** The database's write-ahead log, synced to disk before a create is sent. Undefined if the folder is read-only. */
    readonly log: string | undefined
    /**
     * A separate connection for utterance changes. Undefined if the folder is read-only or the database is in memory.
     */
    readonly changes: Database | undefined
  }
>() {}
