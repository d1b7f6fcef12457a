/** What the service says of the key and its account before a plan relies on them. */
import { Effect, Option } from "effect"
import type { PlannedBalance } from "../../domain/report/PlanReport.ts"
import type { Refused } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentKey } from "../layers/Environment.ts"

/** What was learned of an account. */
export type AccountSeen =
  /** The service takes the key, and says what is left. */
  | { readonly _tag: "Asked"; readonly account: Pick<PlannedBalance, "credits" | "unlimited"> }
  /** The service does not take the key. */
  | { readonly _tag: "Refused"; readonly refused: Refused }
  /** The service cannot be reached: asking it for prices and voices is in vain, too. */
  | { readonly _tag: "Unasked" }
  /** Nothing is to be paid, or the service says nothing of credits. */
  | { readonly _tag: "Unknown" }

const unknown: AccountSeen = { _tag: "Unknown" }

/** How long a service may take for each of its two answers. */
const within = "10 seconds"

/** Asks a remote service where something is to be sent and there is a key; what lacks a key is said with the voices. */
export const accountOf = Effect.fn("AccountCheck.of")(function* (
  { service, state }: Pick<Batch, "service" | "state">,
  unsent: number
) {
  if (service === "embedded" || unsent === 0 || Option.isNone(yield* environmentKey)) return unknown
  const screen = yield* Screen
  return yield* asked.pipe(
    Effect.provide(gatewayTo(service, state)),
    Effect.catchTags({
      Refused: (refused) =>
        Effect.succeed<AccountSeen>(refused.reason === "key" ? { _tag: "Refused", refused } : unknown),
      Unreachable: ({ message }) =>
        Effect.as(screen.say(`note: balance, prices and voices were not checked: ${message}`), {
          _tag: "Unasked"
        } satisfies AccountSeen)
    }),
    // A service that lacks these answers may have the others.
    Effect.catchAll(() => Effect.succeed(unknown))
  )
})

const asked = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // Whether it can be reached is told at once: what it says is asked for patiently.
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
