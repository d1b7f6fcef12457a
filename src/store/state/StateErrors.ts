/** Errors of the state folder, with advice on how to fix them. */
import { Effect, Schema } from "effect"

/** The run that holds a state folder. */
export class Holder extends Schema.Class<Holder>("Holder")({
  pid: Schema.Int,
  host: Schema.String,
  /** When it locked the folder, ISO 8601 in UTC. */
  since: Schema.String
}) {}

/** Another run holds the folder. */
export class StateBusy extends Schema.TaggedError<StateBusy>()("StateBusy", {
  folder: Schema.String,
  /** Absent if the holder has not written its name yet. */
  holder: Schema.optional(Holder)
}) {
  override get message(): string {
    const who =
      this.holder === undefined
        ? "another run"
        : `process ${this.holder.pid} on ${this.holder.host} since ${this.holder.since}`
    return `${this.folder}: in use by ${who}; wait for it to end, or choose another folder with --state`
  }
}

/** The fault of a state folder. */
const StateReason = Schema.Literal(
  "missing",
  "not-a-folder",
  "read-only",
  "full",
  "small",
  "gone",
  "not-a-database",
  "foreign",
  "lost",
  "older",
  "newer",
  "row",
  "locked"
)
export type StateReason = typeof StateReason.Type

const advice: Readonly<Record<StateReason, string>> = {
  missing: "has no state yet; run the batch first",
  "not-a-folder": "is not a folder, or a part of its path is a file; choose another with --state",
  "read-only": "is not writable; make it writable, or choose another folder with --state",
  full: "no space left on its disk; free some and run again; nothing paid for is lost",
  small: "its disk is too small for this run; free some, choose another folder, or start anyway with --force",
  gone: "can no longer be reached; reconnect it and run again; nothing paid for is lost",
  "not-a-database":
    "its state.sqlite is damaged or not a database; restore a copy, or move the whole folder away to start over and pay again",
  foreign:
    "its state.sqlite belongs to another program, or one has changed it; restore a copy, or choose another folder with --state",
  lost: "has clips, but its state.sqlite is missing or empty; restore a copy, or move the whole folder away to start over and pay again",
  older: "comes from an older version; `dubwright run` upgrades it",
  newer: "comes from a newer version of dubwright; use that version, or choose another folder with --state",
  row: "its state.sqlite has a row that this version cannot read; restore a copy; nothing was changed",
  locked: "another program has locked its state.sqlite; close that program and run again"
}

/** The state folder cannot be used, or can no longer be used. Everything confirmed as written is still there. */
export class StateUnusable extends Schema.TaggedError<StateUnusable>()("StateUnusable", {
  folder: Schema.String,
  reason: StateReason,
  /** The system's error message, if any. */
  detail: Schema.String,
  /** Whether a run had begun: it may have sent something. */
  hasBegun: Schema.optional(Schema.Boolean)
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

/** Messages of SQLite, with the code SQLITE_ERROR, about a database without our tables or columns. */
const absentPart = /^no such (?:table|column)|has no column named/u

/** Maps an error of the file system or of SQLite to a problem of the folder; undefined if it is neither. */
export const stateFault = (folder: string, failure: unknown): StateUnusable | undefined => {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
    const found =
      code === "SQLITE_ERROR" && absentPart.test(cause.message)
        ? "foreign"
        : reasons.find(([pattern]) => pattern.test(code))?.[1]
    if (found !== undefined) return new StateUnusable({ folder, reason: found, detail: cause.message })
  }
  return undefined
}

/**
 * Refines the error of a database that could not be read: in a folder without write permission, it looks as if it were
 * missing.
 */
export const unreadFault = (fault: StateUnusable, writable: boolean): StateUnusable =>
  fault.reason === "gone" && !writable
    ? new StateUnusable({
        folder: fault.folder,
        reason: "read-only",
        detail: "SQLite needs write permission to read it; use a copy of the folder"
      })
    : fault

/** Fails with the folder's problem, or dies if the failure is an internal error. */
export const failOrDie = (folder: string, failure: unknown): Effect.Effect<never, StateUnusable> => {
  const fault = stateFault(folder, failure)
  return fault === undefined ? Effect.die(failure) : Effect.fail(fault)
}

/** Runs synchronous work on the folder's files, and maps its errors as `failOrDie` does. */
export const mapStateError = <A>(folder: string, work: () => A): Effect.Effect<A, StateUnusable> =>
  Effect.try(work).pipe(Effect.catchTag("UnknownException", ({ error }) => failOrDie(folder, error)))

/** Like `mapStateError`, for asynchronous work. */
export const mapStateErrorLater = <A>(
  folder: string,
  work: () => Promise<A>
): Effect.Effect<A, StateUnusable> =>
  Effect.tryPromise(work).pipe(Effect.catchTag("UnknownException", ({ error }) => failOrDie(folder, error)))
