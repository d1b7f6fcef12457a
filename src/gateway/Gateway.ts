/** The client of the speech service. The pipeline sends every request through it. */
import { Effect } from "effect"

/**
 * Creates, polls, fetches, finds and deletes tasks, and reads the account and the catalogue. It stores nothing. Its
 * code is loaded when it connects, because most commands on a batch never connect.
 */
export class Gateway extends Effect.Service<Gateway>()("gateway/Gateway", {
  effect: Effect.flatMap(
    Effect.promise(() => import("./GatewayCalls.ts")),
    ({ makeCalls }) => makeCalls
  )
}) {}
