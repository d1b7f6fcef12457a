/** This process as one of several replicas, which speak the tasks of one database. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Context, type Stream } from "effect"

/** A change of a task, as the database reports it. */
export interface TaskChange {
  readonly account: number
  readonly taskId: string
  readonly status: string
  readonly provider: string
}

/** The resources with which a replica works with the others. */
export interface Sharing {
  /** The database that the replicas share. */
  readonly sql: SqlClient
  /** Milliseconds after which other replicas speak the tasks of a silent one. */
  readonly lease: number
  /** Changes of tasks by any replica. Some may be lost while the database is unreachable. */
  readonly changes: Stream.Stream<TaskChange>
}

/** This process. */
export class Replica extends Context.Tag("service/Replica")<
  Replica,
  {
    /** New at each start. A task that this process speaks carries it. */
    readonly id: string
    /** Undefined if no other process speaks the tasks of the database. */
    readonly sharing: Sharing | undefined
  }
>() {}
