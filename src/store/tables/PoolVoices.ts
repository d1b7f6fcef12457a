/** Which voice of a cast's pool each speaker got, by cast file and language. Speakers are compared without case. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { VoiceId } from "../../domain/values/Ids.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"

/** The voice of a speaker. `language` is empty for a job without one. */
const PoolVoice = Schema.Struct({
  file: Schema.String,
  language: Schema.String,
  speaker: Schema.String,
  voice: VoiceId
})
type PoolVoice = typeof PoolVoice.Type

/** Returns a lookup of the choices in a state folder. */
export const poolVoices = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  const rows = yield* makeQueries(folder)("pool_voice", {
    Request: Schema.Void,
    Result: PoolVoice,
    execute: () => sql`SELECT file, language, speaker, voice FROM pool_voice`
  })()
  const voices = new Map(rows.map(({ voice, ...place }) => [placeOf(place), voice]))
  return (file: string, language: string | undefined, speaker: string): VoiceId | undefined =>
    voices.get(placeOf({ file, language: language ?? "", speaker: poolSpeaker(speaker) }))
}).pipe(Effect.withSpan("PoolVoices.poolVoices"))

const placeOf = ({ file, language, speaker }: Omit<PoolVoice, "voice">): string =>
  JSON.stringify([file, language, speaker])

/** Records choices, over earlier ones for the same speakers. */
export const keepPoolVoices = Effect.fn("PoolVoices.keepPoolVoices")(function* (
  choices: ReadonlyArray<PoolVoice>
) {
  if (choices.length === 0) return
  const sql = yield* SqlClient
  const { folder } = yield* StateFolder
  yield* sql
    .unsafe(
      `INSERT OR REPLACE INTO pool_voice (file, language, speaker, voice)
       SELECT value ->> 'file', value ->> 'language', value ->> 'speaker', value ->> 'voice' FROM json_each(?)`,
      [JSON.stringify(choices)]
    )
    .pipe(guardStatements(folder))
})

/** The form in which speakers are kept. */
export const poolSpeaker = (speaker: string): string => speaker.normalize("NFC").toLowerCase()
