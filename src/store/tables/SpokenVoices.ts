/** Which providers a voice was used with before, from the clips of a state folder. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { ProviderId, VoiceId } from "../../domain/values/Ids.ts"
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
