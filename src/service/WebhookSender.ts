/**
 * Sends the webhooks of ended tasks, and tries again with growing pauses. They survive a restart. Accounts take turns,
 * so that one whose hosts are silent does not delay the others.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Layer, Option, Queue, Schema } from "effect"
import { InvalidResponse } from "../gateway/GatewayErrors.ts"
import { HttpTransport } from "../gateway/exchange/HttpTransport.ts"
import { guardedLookup, networkPlaceOf, boundedNames } from "../system/NetworkPlace.ts"
import { ServiceOptions } from "./config/ServiceOptions.ts"
import { taskResponse } from "./requests/TaskResponse.ts"
import { webhookFault } from "./requests/WebhookTarget.ts"
import { checkRows } from "./storage/CheckedRows.ts"
import { TaskFiles } from "./storage/TaskFiles.ts"
import { FairQueue } from "./tasks/TaskQueue.ts"
import { TaskStore } from "./tasks/TaskStore.ts"
import { WebhookSignature } from "./storage/WebhookSignature.ts"

/** Backoff in seconds after the first, second … attempt. After the last one, the webhook fails permanently. */
const pauses = [5, 30, 120, 600, 3_600, 10_800, 36_000] as const

/** Webhooks in flight at once: in all, of one account, and of one account to one host. */
const atOnce = { all: 64, account: 16, host: 8 }
/** Milliseconds after which a webhook that was in flight when the service stopped is sent again. */
const lease = 60_000

const DueWebhook = Schema.Struct({
  task_id: Schema.String,
  account_id: Schema.Int,
  url: Schema.String,
  host: Schema.String,
  origin: Schema.String,
  attempts: Schema.Int
})
type DueWebhook = typeof DueWebhook.Type
const dueRows = checkRows("webhooks", DueWebhook)
const accountRows = checkRows("accounts", Schema.Struct({ id: Schema.Int }))

/** What became of an attempt: no fault if the webhook was received, or its task was deleted. */
interface Attempt {
  readonly fault?: string
  /** Whether the host did not answer. */
  readonly silent?: boolean
}

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
      guardedLookup(boundedNames, (address) => anywhere || networkPlaceOf(address) === "public")
    )

    /** Posts a task's state. */
    const post = (hook: DueWebhook) =>
      Effect.gen(function* (): Effect.fn.Return<Attempt> {
        const task = yield* store.read(hook.account_id, hook.task_id)
        if (Option.isNone(task)) return {}
        const fault = webhookFault(hook.url, anywhere)
        if (fault !== undefined) return { fault }
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
        if (answer._tag === "Left") return { fault: answer.left.message, silent: true }
        const { status } = answer.right
        // A redirect is not followed: it could lead into the private network.
        return status >= 200 && status < 300 ? {} : { fault: `HTTP ${status}` }
      })

    const deliver = (hook: DueWebhook) =>
      Effect.gen(function* () {
        const { fault, silent = false } = yield* post(hook)
        const pause = pauses[hook.attempts]
        const until = (yield* Clock.currentTimeMillis) + (pause ?? 0) * 1000
        if (fault === undefined || pause === undefined) {
          yield* sql`DELETE FROM webhooks WHERE task_id = ${hook.task_id}`
        } else {
          yield* sql`UPDATE webhooks SET attempts = attempts + 1, due_at = ${until} WHERE task_id = ${hook.task_id}`
        }
        if (fault === undefined) return
        // The account's other webhooks to the host wait, too.
        if (silent)
          yield* sql`UPDATE webhooks SET due_at = ${until} WHERE account_id = ${hook.account_id} AND host = ${hook.host}
            AND due_at < ${until}`
        const message = pause === undefined ? "webhook failed permanently" : "webhook failed"
        yield* Effect.annotateLogs(Effect.logWarning(message), {
          task_id: hook.task_id,
          reason: fault,
          attempt: hook.attempts + 1
        })
      })

    const scope = yield* Effect.scope
    const inFlight = new Set<DueWebhook>()
    const turns = new FairQueue()
    /** Rings when a webhook has ended, since others may wait for its place. */
    const bell = yield* Queue.sliding<void>(1)
    const orLater = <A, E>(work: Effect.Effect<A, E>) =>
      work.pipe(
        Effect.catchAllCause((cause) => Effect.logError("cannot send webhooks yet", cause)),
        // Traces would record URLs, which may hold secrets.
        Effect.withTracerEnabled(false)
      )
    /** Takes an account's next webhook: first attempts come before others. */
    const take = (account: number, now: number, own: ReadonlyArray<DueWebhook>) => {
      const hosts = own.map(({ host }) => host)
      const full = [...new Set(hosts)].filter(
        (host) => hosts.filter((each) => each === host).length >= atOnce.host
      )
      return dueRows(
        // Replicas that find the same webhook update it one after the other: only the first finds it due.
        sql`UPDATE webhooks SET due_at = ${now + lease} WHERE due_at <= ${now} AND task_id IN
          (SELECT task_id FROM webhooks WHERE account_id = ${account} AND due_at <= ${now} AND NOT ${sql.in("host", full)}
            ORDER BY attempts > 0, due_at LIMIT 1)
          RETURNING task_id, account_id, url, host, origin, attempts`
      )
    }
    const due = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const accounts = yield* accountRows(sql`SELECT id FROM accounts WHERE EXISTS
        (SELECT 1 FROM webhooks WHERE account_id = accounts.id AND due_at <= ${now})`)
      const waiting = new Set(accounts.map(({ id }) => id))
      while (inFlight.size < atOnce.all) {
        const next = turns.next(
          "webhooks",
          [...waiting].map((account) => ({ account, oldest: 0 }))
        )
        if (next === undefined) return
        const { account } = next
        const own = [...inFlight].filter((each) => each.account_id === account)
        const [hook] = own.length < atOnce.account ? yield* take(account, now, own) : []
        if (hook === undefined) {
          waiting.delete(account)
          continue
        }
        turns.had("webhooks", account)
        inFlight.add(hook)
        const ended = Effect.sync(() => inFlight.delete(hook))
        yield* Effect.forkIn(
          Effect.ensuring(orLater(deliver(hook)), Effect.zipRight(ended, Queue.offer(bell, undefined))),
          scope
        )
      }
    })
    yield* Effect.forkScoped(
      Effect.forever(Effect.zipRight(orLater(due), Effect.timeoutOption(Queue.take(bell), "500 millis")))
    )
  })
)
