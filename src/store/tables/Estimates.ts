/**
 * Figures learned from what was seen, kept from run to run: when tasks are done, how fast voices speak, what is taken
 * and paid.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Schedule, Schema } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { Estimate, learn } from "../../domain/values/Estimate.ts"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { StateUnusable } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { guardStatements } from "../state/GuardedStatements.ts"

/**
 * What was learned. Reading is from memory; what is new reaches the file within seconds, and when the layer is
 * released.
 */
export class Estimates extends Effect.Service<Estimates>()("store/Learned", {
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient
    const { folder, log } = yield* StateFolder
    const rows = yield* sql
      .unsafe<{ readonly kind: string; readonly subject: string; readonly value: string }>(
        `SELECT kind, subject, value FROM learned`
      )
      .pipe(guardStatements(folder))
    const figures = new Map(
      yield* Effect.forEach(rows, (row) =>
        Effect.map(Effect.orDie(readEstimate(row.value)), (value): [string, Estimate] => [
          nameOf(row.kind, row.subject),
          value
        ])
      )
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
      // What was learned is a convenience: a folder that is gone is told by those who write what matters.
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
      /** Milliseconds from create to done, of a provider's tasks of such a length. */
      settleTime: (provider: ProviderId, characters: number) =>
        figures.get(nameOf("settle-time", lengthClass(provider, characters))),
      settled: (provider: ProviderId, characters: number, time: number) => {
        const name = nameOf("settle-time", lengthClass(provider, characters))
        add(name, Math.min(time, Math.max(soon, (bound(name) ?? 0) * mostAtOnce)))
      },

      /** Milliseconds of speech for one character, of a voice with its controls. */
      speechTime: (casting: Casting) => figures.get(nameOf("speech-time", voiceOf(casting))),
      spoke: (casting: Casting, characters: number, time: number) =>
        add(nameOf("speech-time", voiceOf(casting)), time / characters),

      /** Credits for one character, of a provider and model. */
      price: (casting: Casting) => figures.get(nameOf("price", modelOf(casting))),
      paid: (casting: Casting, characters: number, credits: number) =>
        add(nameOf("price", modelOf(casting)), credits / characters),

      /** The most characters that a provider takes, by what it refused as too long; undefined where it never did. */
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
 * A machine that slept while tasks were under way, or whose clock was set, sees them done hours later: no such time is
 * believed, or later tasks would be looked at hours late. What takes so many milliseconds is; a service that gets
 * slower is followed by so much with each task.
 */
const soon = 10_000
const mostAtOnce = 3

/** No provider takes less: a refusal of a text this short has other reasons. */
const shortestLimit = 100

const readEstimate = Schema.decode(Schema.parseJson(Estimate))

const exactly = (value: number): Estimate => Estimate.make({ count: 1, mean: value, spread: 0 })

/** A kind is one word, so that kind and subject part at the first space. */
const nameOf = (kind: string, subject: string): string => `${kind} ${subject}`

/** Lengths that take about as long: doubling from class to class. */
export const lengthClass = (provider: ProviderId, characters: number): string =>
  `${provider} ${Math.ceil(Math.log2(Math.max(16, characters)))}`

/** By what tasks have one price. */
export const modelOf = (casting: Casting): string => JSON.stringify([casting.provider, casting.model ?? null])

const voiceOf = ({ provider, voice, model, speed }: Casting): string =>
  JSON.stringify([provider, voice, model ?? null, speed ?? null])
