/** Estimates learned from earlier runs: task latency, speech rate, prices and length limits. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schedule, Schema } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { Estimate, learn } from "../../domain/values/Estimate.ts"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { StateUnusable } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements, makeQueries } from "../state/GuardedStatements.ts"

/**
 * The learned estimates. Reads are from memory. Updates reach the file within seconds, and when the layer is released.
 */
export class Estimates extends Effect.Service<Estimates>()("store/Estimates", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder, log } = yield* StateFolder
    const rows = yield* makeQueries(folder)("learned", {
      Request: Schema.Void,
      Result: LearnedRow,
      execute: () => sql`SELECT kind, subject, value FROM learned`
    })()
    const figures = new Map(
      rows.map(({ kind, subject, value }): [string, Estimate] => [nameOf(kind, subject), value])
    )
    const fresh = new Set<string>()

    const save: Effect.Effect<void, StateUnusable> = Effect.suspend(() => {
      const changed = Array.from(fresh, (name) => ({ name, value: figures.get(name) }))
      fresh.clear()
      if (changed.length === 0) return Effect.void
      return sql
        .unsafe(
          `INSERT OR REPLACE INTO learned (kind, subject, value)
           SELECT substr(value ->> 'name', 1, instr(value ->> 'name', ' ') - 1),
             substr(value ->> 'name', instr(value ->> 'name', ' ') + 1), value -> 'value' FROM json_each(?)`,
          [JSON.stringify(changed)]
        )
        .pipe(guardStatements(folder))
    })
    if (log !== undefined) {
      // Estimates are optional: an unreachable folder is reported by writes that matter.
      yield* Effect.addFinalizer(() => Effect.option(save))
      yield* save.pipe(Effect.option, Effect.repeat(Schedule.spaced("3 seconds")), Effect.forkScoped)
    }

    const put = (name: string, value: Estimate): void => {
      figures.set(name, value)
      fresh.add(name)
    }
    const add = (name: string, value: number): void => put(name, learn(figures.get(name), value))
    const bound = (name: string) => figures.get(name)?.mean

    return {
      /** Milliseconds from create to done, for a provider's tasks of about this length. */
      settleTime: (provider: ProviderId, characters: number) =>
        figures.get(nameOf("settle-time", lengthClass(provider, characters))),
      settled: (provider: ProviderId, characters: number, time: number) => {
        const name = nameOf("settle-time", lengthClass(provider, characters))
        add(name, Math.min(time, Math.max(soon, (bound(name) ?? 0) * maxAtOnce)))
      },

      /** Milliseconds of speech per character, for a voice with its controls. */
      speechTime: (casting: Casting) => figures.get(nameOf("speech-time", voiceOf(casting))),
      spoke: (casting: Casting, characters: number, time: number) =>
        add(nameOf("speech-time", voiceOf(casting)), time / characters),

      /** Credits per character, for a provider and model. */
      price: (casting: Casting) => figures.get(nameOf("price", modelOf(casting))),
      paid: (casting: Casting, characters: number, credits: number) =>
        add(nameOf("price", modelOf(casting)), credits / characters),

      /**
       * The maximum characters that a provider accepts, learned from texts it rejected as too long. Undefined if it
       * never rejected one.
       */
      longest: (provider: ProviderId): number | undefined => {
        const refused = bound(nameOf("length-refused", provider))
        return refused === undefined ? undefined : Math.max(shortestLimit, refused - 1)
      },
      refusedLength: (provider: ProviderId, characters: number): void => {
        const name = nameOf("length-refused", provider)
        if (characters < (bound(name) ?? Infinity)) put(name, exactly(characters))
      }
    }
  })
}) {}

/**
 * Outliers are capped. A machine that slept or whose clock was set sees its tasks done hours later, and later tasks
 * would then be polled hours late. Times up to `soon` milliseconds count in full; longer ones may raise the estimate by
 * at most `maxAtOnce` times per task.
 */
const soon = 10_000
const maxAtOnce = 3

/** The lowest limit that is learned, in characters. A shorter text is rejected for other reasons. */
const shortestLimit = 100

const LearnedRow = Schema.Struct({
  kind: Schema.String,
  subject: Schema.String,
  value: Schema.parseJson(Estimate)
})

const exactly = (value: number): Estimate => Estimate.make({ count: 1, mean: value, spread: 0 })

/** A kind is one word, so that the first space separates kind and subject. */
const nameOf = (kind: string, subject: string): string => `${kind} ${subject}`

/** Returns the class of lengths with about the same latency. Lengths double from class to class. */
export const lengthClass = (provider: ProviderId, characters: number): string =>
  `${provider} ${Math.ceil(Math.log2(Math.max(16, characters)))}`

/** Returns the key of tasks with one price. */
export const modelOf = (casting: Casting): string => JSON.stringify([casting.provider, casting.model ?? null])

const voiceOf = ({ provider, voice, model, speed }: Casting): string =>
  JSON.stringify([provider, voice, model ?? null, speed ?? null])
