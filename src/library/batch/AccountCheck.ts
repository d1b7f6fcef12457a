/** Account check of a dry run: whether the service accepts the key, and how many credits are left. */
import { Effect } from "effect"
import type { PlannedBalance } from "../../domain/report/PlanReport.ts"
import type { Refused } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { SpeechService } from "../layers/SpeechService.ts"

/** Result of the account check. */
export type AccountSeen =
  /** The service accepts the key and reports the balance. */
  | { readonly _tag: "Asked"; readonly account: Pick<PlannedBalance, "credits" | "unlimited"> }
  /** The service rejects the key. */
  | { readonly _tag: "Refused"; readonly refused: Refused }
  /** The service is unreachable, so prices and voices need not be requested either. */
  | { readonly _tag: "Unasked"; readonly why: string }
  /** No check was needed or possible, or the service does not report credits. */
  | { readonly _tag: "Unknown" }

const unknown: AccountSeen = { _tag: "Unknown" }

/** Timeout of each of the two requests. */
const within = "10 seconds"

/**
 * Checks the account at a remote service. Skipped for the bundled service, if nothing is to be sent (`unsent` is 0), or
 * without a key; the voice check reports a missing key.
 */
export const accountOf = Effect.fn("AccountCheck.accountOf")(function* (
  { service, state }: Pick<Batch, "service" | "state">,
  unsent: number
) {
  const { connect, hasKey } = yield* SpeechService
  if (service === "embedded" || unsent === 0 || !hasKey) return unknown
  return yield* asked.pipe(
    Effect.provide(connect(service, state)),
    Effect.catchTags({
      Refused: (refused) =>
        Effect.succeed<AccountSeen>(refused.reason === "key" ? { _tag: "Refused", refused } : unknown),
      Unreachable: ({ message }) => Effect.succeed<AccountSeen>({ _tag: "Unasked", why: message })
    }),
    // A service without these endpoints may still list prices and voices.
    Effect.catchAll(() => Effect.succeed(unknown))
  )
})

const asked = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // Ping first: it fails fast if the service is unreachable, while reads retry.
  yield* ping.pipe(
    Effect.timeout(within),
    Effect.catchIf(
      (fault) => fault._tag !== "Unreachable",
      () => Effect.void
    )
  )
  const { credits, unlimited } = yield* Effect.timeout(reads.credits, within)
  if (!unlimited && credits === undefined) return unknown
  const seen: AccountSeen = {
    _tag: "Asked",
    account: { unlimited, ...(unlimited || credits === undefined ? {} : { credits }) }
  }
  return seen
})
