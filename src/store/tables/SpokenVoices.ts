/** What was sent before, from a state folder: the providers of a voice, and the keys of utterances. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { ProviderId, UtteranceKey, VoiceId } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { makeQueries } from "../state/GuardedStatements.ts"

/** Returns the providers of a voice's clips; empty if it has none. */
export const spokenBy = Effect.fn("SpokenVoices.spokenBy")(function* (voice: VoiceId) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* makeQueries(folder)("utterance", {
    Request: VoiceId,
    Result: Schema.Struct({ provider: ProviderId }),
    execute: (id) => sql`SELECT DISTINCT provider FROM utterance
      JOIN clip ON clip.key = utterance.key WHERE casting ->> 'voice' = ${id} ORDER BY provider`
  })(voice)
  return rows.map(({ provider }) => provider)
})

/** Returns the keys of all utterances that were sent, or may have been, and not refused. */
export const sentKeys = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* makeQueries(folder)("utterance", {
    Request: Schema.Void,
    Result: Schema.Struct({ key: Schema.typeSchema(UtteranceKey) }),
    execute: () => sql`SELECT key FROM clip UNION SELECT key FROM utterance
      WHERE state NOT IN ('planned', 'failed') OR task IS NOT NULL OR setback ->> 'kind' = 'undecidable'`
  })()
  return new Set(rows.map(({ key }) => key))
}).pipe(Effect.withSpan("SpokenVoices.sentKeys"))
