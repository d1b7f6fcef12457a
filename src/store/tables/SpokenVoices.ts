/** Which providers a voice was used with before, from the clips of a state folder. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { ProviderId, type VoiceId } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/** Returns the providers of a voice's clips; empty if it has none. */
export const spokenBy = Effect.fn("SpokenVoices.spokenBy")(function* (voice: VoiceId) {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* guardStatements(folder)(
    sql<{ readonly provider: string }>`SELECT DISTINCT provider FROM utterance
      JOIN clip ON clip.key = utterance.key WHERE casting ->> 'voice' = ${voice} ORDER BY provider`
  )
  return yield* Effect.orDie(Schema.decode(Schema.Array(ProviderId))(rows.map(({ provider }) => provider)))
})
