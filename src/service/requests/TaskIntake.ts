/** Takes creates: replays repeated ones, validates new ones, stores their tasks and wakes a worker. */
import { randomUUID } from "node:crypto"
import { Effect, Option } from "effect"
import { PaymentRequired, TooManyRequests, Unavailable, Unprocessable } from "../../contract/Errors.ts"
import type { CreateTask } from "../../contract/Task.ts"
import { keyUnknown } from "../accounts/KeyRefusals.ts"
import { Catalogue, type ServedProvider } from "../catalogue/Catalogue.ts"
import { queueLimit } from "../config/ServiceConfig.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { EngineRota } from "../failover/EngineRota.ts"
import { Replica } from "../storage/Replica.ts"
import { Secret } from "../storage/Secret.ts"
import type { StoredReference } from "../tasks/IdempotentCreates.ts"
import { TaskEvents } from "../tasks/TaskEvents.ts"
import { admitTask, diskFull, engineUnavailable, refused } from "../tasks/TaskAdmission.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { forgetTrace, rememberTrace } from "../tasks/TaskTraces.ts"
import { TaskWorkers } from "../tasks/TaskWorkers.ts"
import { webhookFault } from "./WebhookTarget.ts"

/** A create request. */
export interface CreateRequest {
  readonly account: number
  /** The id of the key that sent it. */
  readonly key: number
  readonly voiceId: string
  readonly body: CreateTask
  /** The origin of file URLs in a webhook. */
  readonly origin: string
  /** Its idempotency key, if it has one. */
  readonly name: string | undefined
  /** The factor on its speech's tempo that the client asked for, beside the body's speed; default: 1. */
  readonly tempo?: number
}

/** The response to a create. */
export interface TakenTask extends StoredReference {
  /** Whether an earlier create with the same idempotency key made this task. */
  readonly replayed: boolean
}

const make = Effect.gen(function* () {
  const { config } = yield* ServiceOptions
  const { timeline = 14_400, accountBytes: room = 20_000_000_000 } = config.limits ?? {}
  const { format, rate = 24_000, bitrate = 96 } = config.audio ?? {}
  const bytesPerSecond = format === "wav" ? rate * 2 : bitrate * 125
  const limit = queueLimit(config)
  const catalogue = yield* Catalogue
  const rota = yield* EngineRota
  const secret = yield* Secret
  const store = yield* TaskStore
  const workers = yield* TaskWorkers
  const events = yield* TaskEvents
  const { sharing } = yield* Replica
  /** At least each account's queued tasks: as last counted, and its creates since. Other replicas' are unknown. */
  const atMost = new Map<number, number>()
  /** The accounts that had queued tasks at the start: some may not have sent a create yet. */
  const earlier = yield* store.rivals(0)

  const available = (owner: number, provider: ServedProvider) =>
    Effect.gen(function* () {
      const trouble = yield* rota.trouble(provider)
      if (Option.isSome(trouble)) return yield* troubles[trouble.value]
      // Counts the tasks only if there might be too many.
      const least = shareOf(limit, 1 + earlier + atMost.size)
      let own = atMost.get(owner) ?? least
      if (own >= least) {
        own = yield* store.queued(owner)
        if (own >= shareOf(limit, 1 + (yield* store.rivals(owner))))
          return yield* new TooManyRequests({
            code: "queue_full",
            message: `${own} of your tasks are already queued; retry after the time in Retry-After`,
            retry_after: 5
          })
      }
      if (sharing === undefined) atMost.set(owner, own + 1)
    })

  const repeated = Effect.map(
    Option.map((stored: StoredReference): TakenTask => ({ ...stored, replayed: true }))
  )

  return {
    /** Creates a task, or returns that of an earlier create with the same idempotency key and the same body. */
    take: Effect.fn("TaskIntake.take")(function* (request: CreateRequest) {
      const { account, key, voiceId, body, name, origin, tempo = 1 } = request
      const asked = [voiceId, ...fieldsOf(body), ...(tempo === 1 ? [] : [tempo])]
      const idempotency =
        name === undefined ? undefined : { key: name, digest: secret.digest("body", JSON.stringify(asked)) }
      const replay =
        idempotency === undefined
          ? Effect.succeedNone
          : repeated(store.replay(account, idempotency)).pipe(Effect.catchTag("NameReused", () => nameReused))
      // First: a create that succeeded once must not be refused now.
      const before = yield* replay
      if (Option.isSome(before)) return before.value
      if (workers.draining()) return yield* stopping
      const order = yield* admitTask(catalogue.offer(), voiceId, body, timeline)
      yield* available(account, order.provider)
      const { webhook_url: url } = body
      if (url !== undefined) {
        const fault = webhookFault(url, config.webhooks?.privateAddresses ?? false)
        if (fault !== undefined) return yield* refused("webhook_refused", "webhook_url", fault)
      }
      const taskId = randomUUID()
      // Uninterruptible: a client that disconnects in between would leave a task for which no worker was woken.
      yield* rememberTrace(taskId)
      return yield* store
        .create({
          ...order,
          taskId,
          account,
          key,
          bytes: Math.ceil(order.seconds * bytesPerSecond),
          room,
          idempotency,
          webhook: url === undefined ? undefined : { url, origin, host: new URL(url).host },
          provider: order.provider.id,
          model: order.model.wire.model_id,
          voice: order.voice.wire.voice_id
        })
        .pipe(
          Effect.zipRight(workers.wake(order.provider.id)),
          Effect.zipRight(events.changed(account, taskId)),
          Effect.uninterruptible,
          Effect.tapErrorCause(() => forgetTrace(taskId)),
          Effect.as<TakenTask>({
            taskId,
            characters: order.characters,
            credits: order.credits,
            replayed: false
          }),
          Effect.catchTags({
            CreditsShort: ({ needed, left }) =>
              new PaymentRequired({
                code: "credits_short",
                message: `this task costs ${needed} credits, but the account has ${left}; shorten the text, or ask the service's operator for credits`
              }),
            DailyCapReached: ({ needed, left }) =>
              new PaymentRequired({
                code: "daily_cap",
                message: `this task costs ${needed} credits, but this key may spend ${left} until 00:00 UTC; retry then, or use another key`
              }),
            StorageFull: ({ bytes }) =>
              new PaymentRequired({
                code: "storage_full",
                message: `this account keeps ${bytes} of the ${room} bytes of audio that it may keep; delete tasks that you no longer need (DELETE /v1/task/delete)`
              }),
            KeyRevoked: () => keyUnknown,
            // A create with the same key was stored in the meantime.
            NameTaken: () => Effect.map(replay, Option.getOrThrow)
          })
        )
    })
  }
})

/** Takes creates. */
export class TaskIntake extends Effect.Service<TaskIntake>()("service/TaskIntake", { effect: make }) {}

/** An account's share of the queue, which the accounts with queued tasks share evenly. At least 1. */
const shareOf = (queue: number, accounts: number): number => Math.max(1, Math.floor(queue / accounts))

/** The fields of a body in a fixed order. */
const fieldsOf = (body: CreateTask): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(body).sort(([one], [other]) => (one < other ? -1 : 1))

const troubles = {
  disk_full: diskFull,
  engine_unavailable: engineUnavailable
}

const stopping = new Unavailable({
  code: "draining",
  message: "the service is shutting down and accepts no new tasks; try again later",
  retry_after: 10
})

const nameReused = new Unprocessable({
  code: "idempotency_key_reused",
  message:
    "Idempotency-Key: this key belongs to a create with another body; send the same body, or use a new key",
  field: "idempotency-key"
})
