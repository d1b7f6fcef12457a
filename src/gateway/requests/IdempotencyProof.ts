/** Finds out whether the service honours idempotency keys, before a lost create is sent again. */
import { randomUUID } from "node:crypto"
import { Duration, Effect, Either } from "effect"
import type { CallFault } from "../GatewayErrors.ts"
import type { Exchange } from "./ServiceExchange.ts"

/** A create as sent. */
export interface NamedCreate {
  readonly path: string
  readonly body: string
  /** Its idempotency key, if the create had one. */
  readonly name: string | undefined
  readonly provider: string
}

/** When and by whom a create without a response was sent. */
export interface LostCreate {
  /** Milliseconds since it was announced. */
  readonly age: number
  /** Whether this process sent it, certainly with its idempotency key. */
  readonly isOwn: boolean
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

    const isReused = ({ path, provider }: NamedCreate, name: string) =>
      Effect.map(
        exchange(
          { method: "POST", path, body: JSON.stringify({ text: "", provider }), idempotencyKey: name },
          () => undefined
        ),
        (said) => Either.isLeft(said) && said.left.fields["code"] === "idempotency_key_reused"
      )

    const prove = (lost: NamedCreate, lostName: string) =>
      Effect.gen(function* () {
        if (isProven !== undefined) return isProven
        const stated = yield* retention
        if (stated === undefined) return (isProven = false)
        const known = accepted?.name === undefined ? undefined : accepted
        if (yield* isReused(lost, `probe-${randomUUID()}`)) return (isProven = false)
        const isKnown = yield* isReused(known ?? lost, known?.name ?? lostName)
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
      isSafe: (lost: NamedCreate, { age, isOwn }: LostCreate): Effect.Effect<boolean> =>
        Effect.gen(function* () {
          const { name } = lost
          if (name === undefined || !(yield* turn.withPermits(1)(prove(lost, name)))) return false
          if (age < 0 || age >= kept) return false
          // An earlier version may have sent it without a key, or with another body.
          return isOwn || (yield* isReused(lost, name))
        }).pipe(Effect.orElseSucceed(() => false))
    }
  })
