/** Recognisers' transcripts of clips, by the checksum of the clip's file. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"
import { StateFolder } from "../state/StateFolder.ts"

/** One transcript of a clip, as stored. */
export const StoredTranscript = Schema.Struct({
  text: Schema.String,
  language: Schema.optionalWith(Schema.String, { exact: true })
})
export type StoredTranscript = typeof StoredTranscript.Type

const Texts = Schema.parseJson(Schema.Array(StoredTranscript))

/** Returns the transcripts of a clip by a recogniser, oldest first; empty if it has not heard the clip. */
export const storedTranscripts = Effect.fn("Transcripts.storedTranscripts")(function* (
  checksum: string,
  recogniser: string
) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* makeQueries(folder)("transcript", {
    Request: Schema.Void,
    Result: Schema.Struct({ texts: Texts }),
    execute: () =>
      sql`SELECT texts FROM transcript WHERE checksum = ${checksum} AND recogniser = ${recogniser}`
  })()
  return rows[0]?.texts ?? []
})

/** Stores all transcripts of a clip by a recogniser. */
export const keepTranscripts = Effect.fn("Transcripts.keepTranscripts")(function* (
  checksum: string,
  recogniser: string,
  texts: ReadonlyArray<StoredTranscript>
) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  yield* sql`INSERT OR REPLACE INTO transcript (checksum, recogniser, texts)
    VALUES (${checksum}, ${recogniser}, ${JSON.stringify(texts)})`.pipe(guardStatements(folder))
})
