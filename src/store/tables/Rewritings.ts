/** Rewriters' replies for lines, by manifest, job and line. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { RewriteAttempts } from "../../domain/speech/Rewriting.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"
import { StateFolder } from "../state/StateFolder.ts"

/** Where a line is: its batch's manifest, its job, and its name as in the overrides file. */
export interface RewritingPlace {
  readonly file: string
  readonly job: string
  readonly line: string
}

/** The attempts of one rewriter to shorten a line. */
export interface StoredRewriting extends RewriteAttempts {
  readonly rewriter: string
}

/** Returns the attempts for the lines of a job, by line. */
export const storedRewritings = Effect.fn("Rewritings.storedRewritings")(function* (
  file: string,
  job: string
) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* makeQueries(folder)("rewriting", {
    Request: Schema.Void,
    Result: Schema.Struct({
      line: Schema.String,
      rewriter: Schema.String,
      record: Schema.parseJson(RewriteAttempts)
    }),
    execute: () => sql`SELECT line, rewriter, record FROM rewriting WHERE file = ${file} AND job = ${job}`
  })()
  return new Map(
    rows.map(({ line, rewriter, record }): [string, StoredRewriting] => [line, { ...record, rewriter }])
  )
})

/** Stores all attempts for a line. */
export const keepRewriting = Effect.fn("Rewritings.keepRewriting")(function* (
  { file, job, line }: RewritingPlace,
  { rewriter, text, attempts }: StoredRewriting
) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  yield* sql`INSERT OR REPLACE INTO rewriting (file, job, line, rewriter, record)
    VALUES (${file}, ${job}, ${line}, ${rewriter}, ${JSON.stringify({ text, attempts })})`.pipe(
    guardStatements(folder)
  )
})
