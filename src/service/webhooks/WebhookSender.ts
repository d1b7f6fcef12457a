/** Sends the webhooks of ended tasks, and tries again with growing pauses. They survive a restart. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Layer, Option, Schedule, Schema } from "effect"
import { InvalidResponse } from "../../gateway/GatewayErrors.ts"
import { HttpTransport } from "../../gateway/transport/HttpTransport.ts"
import { guardedLookup, networkPlaceOf, systemNames } from "../../system/NetworkPlace.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { taskResponse } from "../requests/TaskResponse.ts"
import { webhookFault } from "../requests/WebhookTarget.ts"
import { checkRows } from "../storage/CheckedRows.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { WebhookSignature } from "../storage/WebhookSignature.ts"

/** Backoff in seconds after the first, second … attempt. After the last one, the webhook fails permanently. */
const pauses = [5, 30, 120, 600, 3_600, 10_800, 36_000] as const

/** Webhooks in flight at once. */
const atOnce = 64
/** Milliseconds after which a webhook that was in flight when the service stopped is sent again. */
const lease = 60_000

const DueWebhook = Schema.Struct({
  task_id: Schema.String,
  account_id: Schema.Int,
  url: Schema.String,
  origin: Schema.String,
  attempts: Schema.Int
})
type DueWebhook = typeof DueWebhook.Type
const dueRows = checkRows("webhooks", DueWebhook)

/** Sends due webhooks until its scope closes. */
export const webhookSending = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const anywhere = config.webhooks?.privateAddresses ?? false
    const sql = yield* SqlClient
    const store = yield* TaskStore
    const files = yield* TaskFiles
    const signature = yield* WebhookSignature
    const transport = yield* HttpTransport
    const sender = transport.guarded(
      guardedLookup(systemNames, (address) => anywhere || networkPlaceOf(address) === "public")
    )

    /** Posts a task's state. Returns the error's message; none if the webhook was received or its task was deleted. */
    const post = (hook: DueWebhook) =>
      Effect.gen(function* () {
        const task = yield* store.read(hook.account_id, hook.task_id)
        if (Option.isNone(task)) return Option.none()
        const fault = yield* webhookFault(hook.url, anywhere, systemNames)
        if (Option.isSome(fault)) return fault
        const now = yield* Clock.currentTimeMillis
        const at = Math.floor(now / 1000)
        const body = JSON.stringify({
          type: `task.${task.value.status}`,
          timestamp: new Date(at * 1000).toISOString(),
          data: taskResponse(files, hook.origin, task.value, now)
        })
        const { origin, pathname, search } = new URL(hook.url)
        const answer = yield* Effect.either(
          sender.send({
            origin,
            path: `${pathname}${search}`,
            method: "POST",
            headers: {
              "content-type": "application/json",
              "user-agent": "dubwright",
              ...signature.headers(hook.account_id, hook.task_id, at, body)
            },
            body,
            most: 65_536,
            tooLong: () => new InvalidResponse({ words: "its response is too long" }),
            within: "15 seconds",
            late: "no response within 15 s"
          })
        )
        if (answer._tag === "Left") return Option.some(answer.left.message)
        const { status } = answer.right
        // A redirect is not followed: it could lead into the private network.
        return status >= 200 && status < 300 ? Option.none() : Option.some(`HTTP ${status}`)
      })

    const deliver = (hook: DueWebhook) =>
      Effect.gen(function* () {
        const fault = yield* post(hook)
        const pause = pauses[hook.attempts]
        if (Option.isNone(fault) || pause === undefined) {
          yield* sql`DELETE FROM webhooks WHERE task_id = ${hook.task_id}`
        } else {
          const now = yield* Clock.currentTimeMillis
          yield* sql`UPDATE webhooks SET attempts = attempts + 1, due_at = ${now + pause * 1000} WHERE task_id = ${hook.task_id}`
        }
        if (Option.isNone(fault)) return
        const message = pause === undefined ? "webhook failed permanently" : "webhook failed"
        yield* Effect.annotateLogs(Effect.logWarning(message), {
          task_id: hook.task_id,
          reason: fault.value,
          attempt: hook.attempts + 1
        })
      })

    const scope = yield* Effect.scope
    let inFlight = 0
    const orLater = <A, E>(work: Effect.Effect<A, E>) =>
      work.pipe(
        Effect.catchAllCause((cause) => Effect.logError("cannot send webhooks yet", cause)),
        // Traces would record URLs, which may hold secrets.
        Effect.withTracerEnabled(false)
      )
    const due = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const hooks = yield* dueRows(
        // Replicas that find the same webhooks update them one after the other: only the first finds them due.
        sql`UPDATE webhooks SET due_at = ${now + lease} WHERE due_at <= ${now} AND task_id IN
          (SELECT task_id FROM webhooks WHERE due_at <= ${now} ORDER BY due_at LIMIT ${atOnce - inFlight})
          RETURNING task_id, account_id, url, origin, attempts`
      )
      for (const hook of hooks) {
        inFlight++
        yield* Effect.forkIn(
          Effect.ensuring(
            orLater(deliver(hook)),
            Effect.sync(() => inFlight--)
          ),
          scope
        )
      }
    })
    yield* Effect.forkScoped(Effect.repeat(orLater(due), Schedule.spaced("500 millis")))
  })
)
