/** SQL queries, statements and transactions whose errors are mapped to problems of the state folder. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { findAll } from "@effect/sql/SqlSchema"
import { Effect, ParseResult, type Schema } from "effect"
import { fastRows } from "./RowDecoding.ts"
import { failOrDie, StateUnusable } from "./StateErrors.ts"

/** Maps a failed statement to a problem of the state folder. */
export const guardStatements =
  (folder: string) =>
  <A, R>(statement: Effect.Effect<A, SqlError, R>): Effect.Effect<A, StateUnusable, R> =>
    Effect.catchTag(statement, "SqlError", (error) => failOrDie(folder, error))

/** A query: its parameters, its rows' shape, and its statement. */
export interface Query<IA, II, A, I> {
  readonly Request: Schema.Schema<IA, II>
  readonly Result: Schema.Schema<A, I>
  readonly execute: (request: II) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
}

/** Makes queries of tables. A row of another shape is a problem of the state folder that names table and column. */
export const makeQueries =
  (folder: string) =>
  <IA, II, A, I>(
    table: string,
    query: Query<IA, II, A, I>
  ): ((request: IA) => Effect.Effect<ReadonlyArray<A>, StateUnusable>) => {
    const find = findAll({ ...query, Result: fastRows(query.Result) })
    return (request) =>
      Effect.catchAll(find(request), (error) =>
        error._tag === "SqlError" ? failOrDie(folder, error) : rowFault(folder, table, error)
      )
  }

/** Returns the folder's problem if a row of a table has another shape. */
export const rowFault = (folder: string, table: string, error: ParseResult.ParseError): StateUnusable =>
  new StateUnusable({ folder, reason: "row", detail: rowProblem(table, error) })

/** Names the table and the column that hold a value of another shape. */
export const rowProblem = (table: string, error: ParseResult.ParseError): string => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  // Assume that the union's members that parsed furthest were meant.
  const depth = Math.max(...issues.map(({ path }) => path.length))
  const meant = issues.filter(({ path }) => path.length === depth)
  const words = meant.map(({ message }) => /^Expected (.*), actual (.*)$/su.exec(message))
  const column = meant[0]?.path.slice(1).join(".") ?? ""
  const problem = words.every((found) => found !== null)
    ? `expected ${words.map(([, wanted]) => wanted).join(" or ")}, found ${words[0]?.[2] ?? ""}`
    : (meant[0]?.message ?? "")
  const line = problem.replace(/[\p{Cc}\s]+/gu, " ")
  return `column ${column} of ${table}: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`
}

/**
 * Runs statements in a transaction: all of them are committed, or none.
 *
 * On a full disk, SQLite rolls the transaction back by itself. The client then dies on its own rollback, or on a commit
 * without space. Here both fail with the state folder's problem.
 */
export const inTransaction = <A, R>(
  sql: SqlClient,
  folder: string,
  statements: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, StateUnusable, R> =>
  Effect.suspend(() => {
    let first: SqlError | undefined
    const remembered = Effect.tapError(statements, (error) =>
      Effect.sync(() => {
        first = error
      })
    )
    return sql.withTransaction(remembered).pipe(
      guardStatements(folder),
      Effect.catchAllDefect((defect) => failOrDie(folder, first ?? defect))
    )
  })
