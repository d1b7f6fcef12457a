/** Composes and sends creates. A create without a response is sent again if the service honours idempotency keys. */
import { Clock, Effect, Predicate } from "effect"
import { labelWithMarker, markerOf } from "../../domain/task/TaskMarker.ts"
import type { Accepted } from "../../gateway/GatewayCalls.ts"
import type { CallFault, UnreadableCreate } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { composeCreate, type NamedCreate } from "../../gateway/requests/NamedCreate.ts"
import type { MaySend } from "../../gateway/requests/SendWindow.ts"
import { retryPatiently } from "../../gateway/pacing/RetrySchedules.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import type { LostTaskFinding } from "./LostTaskRecovery.ts"
import { SpeakConfig } from "./SpeakSettings.ts"

/** Composes the create of an utterance's current take. */
export const createOf = ({ utterance, label, take }: UtteranceRow) =>
  Effect.map(SpeakConfig, ({ profileOf, dialect, languageOf }) => {
    const mark = markerOf(utterance.key, take)
    return composeCreate(
      utterance,
      labelWithMarker(label, mark),
      profileOf(utterance.casting.provider),
      mark,
      { ...(dialect === undefined ? {} : { dialect }), language: languageOf(utterance.key) }
    )
  })

/** Sends an announced create, and at once again if its response is lost and that is safe. */
export const sendOnce = (
  create: NamedCreate,
  maySend: MaySend
): Effect.Effect<Accepted, CallFault | UnreadableCreate, Gateway> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const sentAt = yield* Clock.currentTimeMillis
    return yield* gateway.submit(create, maySend).pipe(
      Effect.catchTag("InvalidResponse", (fault) =>
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Accepted, CallFault> =>
          // Even if the second request fails, the first one may have made a task.
          gateway.resend(create, { age: now - sentAt, isNamed: true }).pipe(
            Effect.mapError(() => fault),
            Effect.filterOrFail(Predicate.isNotUndefined, () => fault)
          )
        )
      )
    )
  })

/**
 * Sends the create of an announced utterance again. The service returns the task that the create made, or makes it now.
 * Returns undefined if it is not certain that nothing is charged twice, or if the service does not accept the create:
 * then the history decides.
 */
export const resendCreate = (
  row: UtteranceRow
): Effect.Effect<LostTaskFinding | undefined, never, Gateway | SpeakConfig> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const create = yield* createOf(row)
    const { announcedAt, createKey } = row
    if (announcedAt === undefined) return undefined
    // Another version may have announced it without a key, or with another body.
    const isNamed = createKey !== undefined && createKey === create.key
    const task = yield* Effect.flatMap(Clock.currentTimeMillis, (now) =>
      gateway.resend(create, { age: now - announcedAt, isNamed })
    ).pipe(
      // It counts as made: the history decides.
      Effect.catchTag("UnreadableCreate", () => Effect.void),
      Effect.retry(retryPatiently),
      Effect.tapError((fault) => logDebug("create not accepted again", fault.message)),
      Effect.orElseSucceed(() => undefined)
    )
    if (task === undefined) return undefined
    yield* logDebug("create sent again", task.task)
    return { _tag: "Found", task } as const
  }).pipe(inSpan("CreateSending.resendCreate"))
