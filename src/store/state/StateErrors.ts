/** Why a state folder cannot be used, in words that say how to mend it. */
import { Effect, Schema } from "effect"

/** Who holds a state folder. */
export class Holder extends Schema.Class<Holder>("Holder")({
  pid: Schema.Int,
  host: Schema.String,
  /** When it took the folder, ISO 8601 in UTC. */
  since: Schema.String
}) {}

/** Another run holds the folder. */
export class StateBusy extends Schema.TaggedError<StateBusy>()("StateBusy", {
  folder: Schema.String,
  /** Absent where the holder has not written its name yet. */
  holder: Schema.optional(Holder)
}) {
  override get message(): string {
    const who =
      this.holder === undefined
        ? "another run"
        : `process ${this.holder.pid} on ${this.holder.host} since ${this.holder.since}`
    return `${this.folder}: held by ${who}; wait for it to end, or name another folder with --state`
  }
}

/** What is wrong with a state folder. */
const StateReason = Schema.Literal(
  "missing",
  "not-a-folder",
  "read-only",
  "full",
  "gone",
  "not-a-database",
  "lost",
  "older",
  "newer",
  "locked"
)
export type StateReason = typeof StateReason.Type

const advice: Readonly<Record<StateReason, string>> = {
  missing: "holds no state yet: nothing was run with it",
  "not-a-folder": "is not a folder, or a part of its path is a file; name another with --state",
  "read-only": "cannot be written; make it writable, or name another folder with --state",
  full: "no space is left on its disk; free some and run again, nothing paid for is lost",
  gone: "cannot be reached any more; bring its disk back and run again, nothing paid for is lost",
  "not-a-database":
    "its state.sqlite is damaged or no database; bring a copy of it back, or move the whole folder away to start anew, which pays for everything again",
  lost: "holds clips, but its state.sqlite, which says what they are, is gone or empty; bring a copy of it back, or move the whole folder away to start anew, which pays for everything again",
  older: "was written by an older version; `dubwright run` brings it up to date",
  newer: "was written by a newer version of dubwright; use that version, or name another folder with --state",
  locked: "its state.sqlite is locked by another program; close that and run again"
}

/** A state folder that cannot be used, or no longer. Whatever was confirmed as written before is still there. */
export class StateUnusable extends Schema.TaggedError<StateUnusable>()("StateUnusable", {
  folder: Schema.String,
  reason: StateReason,
  /** The system's own words, where there are any. */
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.folder}: ${advice[this.reason]}${this.detail === "" ? "" : ` (${this.detail})`}`
  }
}

const reasons: ReadonlyArray<readonly [RegExp, StateReason]> = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)/u, "full"],
  [/^SQLITE_READONLY_DBMOVED/u, "gone"],
  [/^(EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_PERM)/u, "read-only"],
  [/^(ENOTDIR|EEXIST|EISDIR)/u, "not-a-folder"],
  [/^(SQLITE_NOTADB|SQLITE_CORRUPT|SQLITE_FORMAT)/u, "not-a-database"],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/u, "locked"],
  [
    /^(ENOENT|EIO|ESTALE|ENODEV|ENXIO|ENOTCONN|ETIMEDOUT|EHOSTDOWN|SQLITE_IOERR|SQLITE_CANTOPEN|SQLITE_PROTOCOL)/u,
    "gone"
  ]
]

/** What a failure of the file system or of SQLite means for the folder; undefined where it is no such failure. */
export const stateFault = (folder: string, failure: unknown): StateUnusable | undefined => {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
    const found = reasons.find(([pattern]) => pattern.test(code))
    if (found !== undefined) return new StateUnusable({ folder, reason: found[1], detail: cause.message })
  }
  return undefined
}

/**
 * What it means that a database could not be read: one in a folder that may not be written to looks like one that is
 * gone.
 */
export const unreadFault = (fault: StateUnusable, writable: boolean): StateUnusable =>
  fault.reason === "gone" && !writable
    ? new StateUnusable({
        folder: fault.folder,
        reason: "read-only",
        detail: "its database can only be read where it may be written, too: a copy of the folder will do"
      })
    : fault

/** Fails with what a failure means for the folder; dies where it is a fault in the program. */
export const failOrDie = (folder: string, failure: unknown): Effect.Effect<never, StateUnusable> => {
  const fault = stateFault(folder, failure)
  return fault === undefined ? Effect.die(failure) : Effect.fail(fault)
}

/** Work on the folder's files, done at once; what goes wrong is told as `failOrDie` tells it. */
export const mapStateError = <A>(folder: string, work: () => A): Effect.Effect<A, StateUnusable> =>
  Effect.try(work).pipe(Effect.catchTag("UnknownException", ({ error }) => failOrDie(folder, error)))

/** The same for work that takes its time. */
export const mapStateErrorLater = <A>(
  folder: string,
  work: () => Promise<A>
): Effect.Effect<A, StateUnusable> =>
  Effect.tryPromise(work).pipe(Effect.catchTag("UnknownException", ({ error }) => failOrDie(folder, error)))
