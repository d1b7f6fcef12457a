/**
 * The Redis that holds a fleet together: reached at the start or refused in words, and waited for when it is gone
 * later.
 */
import { Effect, type Scope } from "effect"
import { Redis, type RedisOptions } from "ioredis"
import { FleetUnusable } from "./FleetErrors.ts"

/** A fleet's Redis. */
export interface FleetRedis {
  readonly client: Redis
  /** Its address as it may be shown. */
  readonly name: string
  /** What a person should know of it. */
  readonly warnings: ReadonlyArray<string>
}

/** How long the first answer is waited for, in milliseconds. */
const firstAnswer = 5_000

/** The longest wait between two tries to reach a Redis that is gone, in milliseconds. */
const longestRetry = 2_000

/**
 * How long an answer may be waited for before its connection is taken for dead, in milliseconds: one whose other end
 * vanished without a word would be waited on for a quarter of an hour. Longer than any question that waits for
 * something to happen, ten seconds at most.
 */
const longestSilence = 30_000

/**
 * Connects for as long as the scope. A Redis that cannot be reached, refuses the password, is none, or may throw away
 * what is in it is refused. One that goes away later is waited for: `told` is given one line when it is gone, and one
 * when it is back.
 */
export const connectRedis = (
  address: string,
  password: string | undefined,
  told: (line: string) => void,
  silence = longestSilence
): Effect.Effect<FleetRedis, FleetUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const name = shown(address)
    const options: RedisOptions = {
      lazyConnect: true,
      // What is asked while it is gone is asked again when it is back.
      maxRetriesPerRequest: null,
      connectTimeout: firstAnswer,
      socketTimeout: silence,
      ...(password === undefined ? {} : { password })
    }
    yield* greeted(name, address, options)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new Redis(address, {
          ...options,
          retryStrategy: (times) => Math.min(longestRetry, 50 * 2 ** Math.min(times, 6))
        })
        watched(made, name, told)
        return made
      }),
      (made) => Effect.sync(() => made.disconnect())
    )
    const asked = <A>(ask: () => Promise<A>) =>
      Effect.tryPromise({ try: ask, catch: (cause) => refusal(name, cause) })
    yield* asked(() => client.connect())
    const facts = factsIn(yield* asked(() => client.info()))
    const policy = facts.get("maxmemory_policy") ?? "noeviction"
    if (policy !== "noeviction" && facts.get("maxmemory") !== "0") {
      return yield* new FleetUnusable({
        about: name,
        words: `its maxmemory-policy is ${policy}: it would throw away what was paid for; set maxmemory-policy noeviction`
      })
    }
    const evicting =
      policy === "noeviction"
        ? []
        : [`${name}: its maxmemory-policy is ${policy}; set noeviction before a maxmemory is set`]
    // A server that does not show its settings is believed to be looked after.
    const saves = yield* Effect.option(asked(() => client.config("GET", "save")))
    const unsaved =
      facts.get("aof_enabled") === "0" && saves._tag === "Some" && savesNothing(saves.value)
        ? [
            `${name}: keeps nothing on disk: if it restarts, tasks under way may be paid for again; set appendonly yes`
          ]
        : []
    return { client, name, warnings: [...evicting, ...unsaved] }
  })

/** `CONFIG GET save` answers with the name and the rule, which is empty where nothing is saved. */
const savesNothing = (answer: unknown): boolean => Array.isArray(answer) && answer[1] === ""

/** Asks once, without patience: at the start a wrong address is better told than waited for. */
const greeted = (name: string, address: string, options: RedisOptions): Effect.Effect<void, FleetUnusable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Redis(address, { ...options, maxRetriesPerRequest: 0, retryStrategy: () => null })),
    (once) => {
      // The call that fails says only that it did; why is told as an event.
      let why: unknown
      once.on("error", (error) => {
        why ??= error
      })
      return Effect.tryPromise({
        try: async () => {
          await once.connect()
          await once.ping()
        },
        catch: (cause) => refusal(name, why ?? cause)
      }).pipe(
        Effect.timeoutFail({
          duration: firstAnswer,
          onTimeout: () => new FleetUnusable({ about: name, words: noRedis })
        })
      )
    },
    (once) => Effect.sync(() => once.disconnect())
  )

const noRedis = "does not answer as a Redis does: is the address right?"

const refusal = (about: string, cause: unknown): FleetUnusable => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const words = /WRONGPASS|NOAUTH|invalid (username|password)|AUTH/iu.test(said)
    ? "refuses the name or password: put them into the address (redis://name:password@host), or the password into DUBWRIGHT_FLEET_PASSWORD"
    : /Protocol error|Parser/iu.test(said)
      ? noRedis
      : `cannot be reached${reason(said)}: start it, or name another with --fleet`
  return new FleetUnusable({ about, words })
}

/**
 * Asks a Redis that was reached once. While it is gone that waits; where it says no (it is full, say), there is nothing
 * that could be gone on with, and the command ends with its words.
 */
export const askRedis = <A>(name: string, ask: () => Promise<A>): Effect.Effect<A> =>
  Effect.tryPromise(ask).pipe(
    Effect.catchAll(({ error }) =>
      Effect.die(
        new FleetUnusable({
          about: name,
          words: `refuses what is asked of it: ${error instanceof Error ? error.message : String(error)}`
        })
      )
    )
  )

const reason = (said: string): string =>
  said === "" || /^Connection is closed/u.test(said) ? "" : ` (${said.split("\n")[0]})`

const watched = (client: Redis, name: string, told: (line: string) => void): void => {
  let gone = false
  client.on("error", () => {})
  client.on("close", () => {
    if (gone || client.status === "end") return
    gone = true
    told(`${name} is gone; waiting for it`)
  })
  client.on("ready", () => {
    if (gone) told(`${name} is back`)
    gone = false
  })
}

/** An address without name and password. */
const shown = (address: string): string => {
  const url = new URL(address)
  return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`
}

/** `INFO`'s lines, `name:value`. */
const factsIn = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split(/\r?\n/u).flatMap((line): ReadonlyArray<[string, string]> => {
      const at = line.indexOf(":")
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
    })
  )
