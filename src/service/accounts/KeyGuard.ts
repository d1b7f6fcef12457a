/**
 * Slows down the guessing of keys. After several wrong keys from one address, that address is blocked for a time that
 * doubles with each further wrong key. Keys that the service generated still work from it: their 256 random bits cannot
 * be guessed. Imported keys may be weak. They still work from an address if they were used from it before, also before
 * a restart.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option } from "effect"
import ipaddr from "ipaddr.js"
import { steadyMillis } from "../../domain/time/SteadyTime.ts"
import { TooManyRequests } from "../../contract/Errors.ts"
import { noteAudit } from "./AuditLog.ts"
import type { KeyHolder } from "./KeyRecord.ts"

/** Wrong keys that an address may send before it is blocked. */
const freeGuesses = 10
/** The first and the longest block, in milliseconds. */
const firstBlock = 1_000
const maxBlock = 300_000
/** Wrong keys are forgotten this long after the last one. */
const memory = 900_000
/** Addresses and key uses to remember; the oldest are forgotten first. */
const maxKnown = 20_000

interface Guesser {
  readonly wrong: number
  readonly at: number
  readonly blockedUntil: number
}

/** Watches over the keys that each client address sends. */
export class KeyGuard extends Effect.Service<KeyGuard>()("service/KeyGuard", {
  effect: Effect.map(SqlClient, (sql) => {
    const guessers = new Map<string, Guesser>()
    const used = new Map<string, true>()
    const now = Effect.map(Effect.clock, steadyMillis)
    return {
      /** Passes on the holder of a valid key. Fails while the address is blocked and the key may be a guess. */
      judge: (address: string, found: Option.Option<KeyHolder>) =>
        Effect.gen(function* () {
          const at = yield* now
          const from = networkOf(address)
          const known = guessers.get(from)
          const guesser = known !== undefined && at - known.at < memory ? known : undefined
          const isBlocked = guesser !== undefined && at < guesser.blockedUntil
          if (Option.isSome(found)) {
            const { key, imported } = found.value
            if (!imported) return found
            const use = `${from} ${key}`
            if (!used.has(use)) {
              const before = isBlocked
                ? yield* Effect.orDie(sql`SELECT 1 FROM key_uses WHERE network = ${from} AND key_id = ${key}`)
                : []
              if (isBlocked && before.length === 0) return yield* blocked(guesser.blockedUntil - at)
              const time = yield* Clock.currentTimeMillis
              yield* Effect.orDie(
                sql`INSERT INTO key_uses ${sql.insert({ network: from, key_id: key, at: time })}
                  ON CONFLICT (network, key_id) DO UPDATE SET at = excluded.at`
              )
            }
            remember(used, use, true)
            return found
          }
          if (isBlocked) return yield* blocked(guesser.blockedUntil - at)
          const wrong = (guesser?.wrong ?? 0) + 1
          const over = wrong - freeGuesses
          const block = over < 0 ? 0 : Math.min(maxBlock, firstBlock * 2 ** Math.min(over, 30))
          remember(guessers, from, { wrong, at, blockedUntil: at + block })
          if (over === 0) {
            yield* Effect.annotateLogs(Effect.logWarning("address is blocked after wrong keys"), {
              address: from
            })
            yield* Effect.orDie(
              noteAudit(sql, { event: "address_blocked", by: from, detail: `${wrong} wrong keys` })
            )
          }
          return found
        })
    }
  })
}) {}

const blocked = (milliseconds: number) =>
  new TooManyRequests({
    code: "key_guessing",
    message: "xi-api-key: too many wrong keys from this address; retry after the time in Retry-After",
    field: "xi-api-key",
    retry_after: Math.max(0.001, milliseconds / 1000)
  })

const remember = <A>(all: Map<string, A>, name: string, value: A): void => {
  all.delete(name)
  all.set(name, value)
  if (all.size <= maxKnown) return
  const [oldest] = all.keys()
  if (oldest !== undefined) all.delete(oldest)
}

/** Returns the network of a client: one client has a whole /64 of IPv6 addresses. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const [one, two, three, four] = parsed.parts
  return `${new ipaddr.IPv6([one ?? 0, two ?? 0, three ?? 0, four ?? 0, 0, 0, 0, 0]).toString()}/64`
}
