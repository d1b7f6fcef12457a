/** Finds out whether the service honours idempotency keys, before a lost create is sent again. */
import { randomUUID } from "node:crypto"
import { Duration, Effect, Either } from "effect"
import type { CallFault } from "../GatewayErrors.ts"
import type { NamedCreate } from "./NamedCreate.ts"
import type { Exchange } from "./ServiceExchange.ts"

/** When and by whom a create without a response was sent. */
export interface LostCreate {
  /** Milliseconds since it was announced. */
  readonly age: number
  /** Whether it was certainly sent with this idempotency key, if it was sent. */
  readonly isNamed: boolean
}

/** Time before the end of the service's retention after which nothing is sent again. */
const margin = Duration.toMillis("1 hour")

/** Upper limit of a service's stated retention. */
const longestRetention = Duration.toMillis("7 days")

/**
 * Makes the proof for one service. A claim is not enough: a service that ignores the key would charge twice.
 *
 * The service must state its retention in its health check, and then pass a test that costs nothing. A create with an
 * empty text, which any service rejects, is sent twice. With the key of an earlier create, it must be rejected as
 * reused; with a new key, for another reason.
 */
export const makeIdempotencyProof = (
  exchange: Exchange,
  retention: Effect.Effect<number | undefined, CallFault>
) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let accepted: NamedCreate | undefined
    let isProven: boolean | undefined
    let kept = 0

    const isReused = ({ path, provider }: NamedCreate, key: string) =>
      exchange(
        { method: "POST", path, body: JSON.stringify({ text: "", provider }), idempotencyKey: key },
        () => Either.right(false)
      ).pipe(Effect.catchTag("Refused", ({ code }) => Effect.succeed(code === "idempotency_key_reused")))

    const prove = (lost: NamedCreate, lostKey: string) =>
      Effect.gen(function* () {
        if (isProven !== undefined) return isProven
        const stated = yield* retention
        if (stated === undefined) return (isProven = false)
        const known = accepted?.key === undefined ? undefined : accepted
        if (yield* isReused(lost, `probe-${randomUUID()}`)) return (isProven = false)
        const isKnown = yield* isReused(known ?? lost, known?.key ?? lostKey)
        kept = Math.min(stated * 1000, longestRetention) - margin
        // The lost create may not have arrived: then its unknown key proves nothing.
        if (isKnown || known !== undefined) isProven = isKnown
        return isKnown
      })

    return {
      /** Records a create that made a task. */
      accepted: (create: NamedCreate): void => {
        accepted = create
      },
      /** Whether a lost create can be sent again without a second charge. Unknown counts as no. */
      isSafe: (lost: NamedCreate, { age, isNamed }: LostCreate): Effect.Effect<boolean> =>
        Effect.gen(function* () {
          const { key } = lost
          if (key === undefined || !(yield* turn.withPermits(1)(prove(lost, key)))) return false
          if (age < 0 || age >= kept) return false
          // An earlier version may have sent it without a key, or with another body.
          return isNamed || (yield* isReused(lost, key))
        }).pipe(Effect.orElseSucceed(() => false))
    }
  })
