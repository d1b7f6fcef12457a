/** Connects a fleet to Redis: checks the server at the start, and reconnects if the connection is lost later. */
import { Effect, Schedule, type Scope } from "effect"
import type { UnknownException } from "effect/Cause"
import { Redis, type RedisOptions } from "ioredis"
import { hostOf, placesOf, systemNames } from "../../system/NetworkPlace.ts"
import { FleetUnusable } from "./FleetErrors.ts"

/** A fleet's Redis. */
export interface FleetRedis {
  readonly client: Redis
  /** Its address without credentials. */
  readonly name: string
  /** Warnings about its configuration, for the user. */
  readonly warnings: ReadonlyArray<string>
}

/** Timeout of the first response, in milliseconds. */
const firstAnswer = 5_000

/** Maximum delay between two attempts to reconnect, in milliseconds. */
const maxRetry = 500

/**
 * Silence after which a connection counts as dead, in milliseconds. Without it, a peer that vanished would be noticed
 * only after about 15 minutes. Must exceed the longest blocking command, 10 s.
 */
const maxSilence = 30_000

/**
 * Connects until the scope closes. Fails if the server is unreachable, rejects the password, is not Redis, or may evict
 * keys. If the connection is lost later, reconnects; `told` receives one line when it is lost and one when it is back.
 */
export const connectRedis = (
  address: string,
  password: string | undefined,
  told: (line: string) => void,
  silence = maxSilence,
  resolve = systemNames
): Effect.Effect<FleetRedis, FleetUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const name = shown(address)
    const options: RedisOptions = {
      lazyConnect: true,
      // Requests sent while disconnected are retried after reconnecting.
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
          retryStrategy: (times) => Math.min(maxRetry, 50 * 2 ** Math.min(times, 4))
        })
        watched(made, name, told)
        return withoutOldTimers(made)
      }),
      (made) => Effect.sync(() => made.disconnect())
    )
    const callRedis = <A>(ask: () => Promise<A>) =>
      Effect.tryPromise({ try: ask, catch: (cause) => refusal(name, cause) })
    yield* callRedis(() => client.connect())
    const facts = factsIn(yield* callRedis(() => client.info()))
    const policy = facts.get("maxmemory_policy") ?? "noeviction"
    if (policy !== "noeviction" && facts.get("maxmemory") !== "0")
      return yield* new FleetUnusable({
        about: name,
        words: `its maxmemory-policy is ${policy}, which may evict paid tasks; set maxmemory-policy noeviction`
      })
    const evicting =
      policy === "noeviction"
        ? []
        : [`${name}: its maxmemory-policy is ${policy}; set it to noeviction before you set maxmemory`]
    // A server that hides its settings is assumed to be configured well.
    const saves = yield* Effect.option(callRedis(() => client.config("GET", "save")))
    const unsaved =
      facts.get("aof_enabled") === "0" && saves._tag === "Some" && savesNothing(saves.value)
        ? [
            `${name}: does not persist to disk, so a restart may charge in-flight tasks again; set appendonly yes`
          ]
        : []
    const open =
      password === undefined && new URL(address).password === ""
        ? yield* Effect.map(
            Effect.option(Effect.tryPromise(() => placesOf(hostOf(new URL(address)), resolve))),
            (places) =>
              places._tag === "Some" && places.value.has("public")
                ? [
                    `${name}: a public address without a password, so anyone can spend your credits; set requirepass in Redis, and DUBWRIGHT_FLEET_PASSWORD`
                  ]
                : []
          )
        : []
    return { client, name, warnings: [...evicting, ...unsaved, ...open] }
  })

/**
 * Clears the timer of `socketTimeout` when a connection closes, also of the client's duplicates. ioredis keeps it if a
 * request was in flight: it would keep the process alive, or end the next connection.
 */
const withoutOldTimers = (client: Redis): Redis => {
  const timer = "socketTimeoutTimer"
  client.on("close", () => {
    clearTimeout(Reflect.get(client, timer))
    Reflect.set(client, timer, undefined)
  })
  const duplicate = client.duplicate.bind(client)
  // BullMQ connects a lazy duplicate once, and fails for good if Redis is down. Others connect by themselves.
  client.duplicate = (override) => withoutOldTimers(duplicate({ ...override, lazyConnect: false }))
  return client
}

/** `CONFIG GET save` returns the name and the rule, which is empty if nothing is saved. */
const savesNothing = (answer: unknown): boolean => Array.isArray(answer) && answer[1] === ""

/** Connects and pings once, without retries: at the start, a wrong address should fail at once. */
const greeted = (name: string, address: string, options: RedisOptions): Effect.Effect<void, FleetUnusable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Redis(address, { ...options, maxRetriesPerRequest: 0, retryStrategy: () => null })),
    (once) => {
      // The failed call does not carry the cause; the error event does.
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

const noRedis = "does not respond like Redis; check the address"

const refusal = (about: string, cause: unknown): FleetUnusable => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const words = /WRONGPASS|NOAUTH|invalid (username|password)|AUTH/iu.test(said)
    ? "rejects the user name or password; set them in the address (redis://name:password@host), or the password in DUBWRIGHT_FLEET_PASSWORD"
    : /Protocol error|Parser/iu.test(said)
      ? noRedis
      : `is unreachable${reason(said)}; start it, or set another address with --fleet`
  return new FleetUnusable({ about, words })
}

/** Whether a request failed because the connection was lost. It may or may not have been executed. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error &&
  /^(?:Connection is closed|Command aborted due to connection close)|ECONNREFUSED|ECONNRESET|EPIPE/u.test(
    error.message
  )

/** Sends a request again if the loss of the connection ended it. */
export const resent = <A>(request: Effect.Effect<A, UnknownException>) =>
  Effect.retry(request, {
    while: ({ error }) => isConnectionLost(error),
    schedule: Schedule.spaced("500 millis")
  })

/** Returns the error of a request that Redis refused, for example because it is full. */
export const refusedRequest = (name: string, error: unknown): FleetUnusable =>
  new FleetUnusable({
    about: name,
    words: `Redis returned an error: ${error instanceof Error ? error.message : String(error)}`
  })

/**
 * Sends a request to a connected Redis. Waits while it is disconnected. A request that may be split by a disconnection,
 * such as a transaction, is sent again: it must have the same effect twice as once. If Redis returns an error, for
 * example because it is full, the command ends with that error.
 */
export const askRedis = <A>(name: string, ask: () => Promise<A>): Effect.Effect<A> =>
  resent(Effect.tryPromise(ask)).pipe(Effect.catchAll(({ error }) => Effect.die(refusedRequest(name, error))))

const reason = (said: string): string =>
  said === "" || /^Connection is closed/u.test(said) ? "" : ` (${said.split("\n")[0]})`

const watched = (client: Redis, name: string, told: (line: string) => void): void => {
  let ended = false
  client.on("error", () => {})
  client.on("close", () => {
    if (ended || client.status === "end") return
    ended = true
    told(`${name}: connection lost; reconnecting`)
  })
  client.on("ready", () => {
    if (ended) told(`${name}: reconnected`)
    ended = false
  })
}

/** Returns an address without user name and password. */
const shown = (address: string): string => {
  const url = new URL(address)
  return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`
}

/** Parses the `name:value` lines of `INFO`. */
const factsIn = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split(/\r?\n/u).flatMap((line): ReadonlyArray<[string, string]> => {
      const at = line.indexOf(":")
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
    })
  )
