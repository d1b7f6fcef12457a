/** Handlers of the API's twelve endpoints. */
import { HttpApiBuilder, HttpServerResponse, type HttpServerRequest } from "@effect/platform"
import { Chunk, Clock, Effect, Option, Stream, Either } from "effect"
import { CurrentAccount, type Health, type KeyScope } from "../../contract/Account.ts"
import { Conflict, NotFound, type Unprocessable } from "../../contract/Errors.ts"
import {
  defaultPageSize,
  idempotencyHeader,
  keyHeader,
  SpeechApi,
  accountEventsPath,
  idempotencyRetention
} from "../../contract/SpeechApi.ts"
import { CreateTask, DeleteTask, type TaskReference } from "../../contract/Task.ts"
import { eventOf, eventStream } from "../requests/EventStream.ts"
import { readBody } from "./RequestBody.ts"
import { openAiModelList } from "../catalogue/OpenAiModels.ts"
import { bearerIn } from "./KeyAuthentication.ts"
import { Catalogue, wireProvider, type Offer } from "../catalogue/Catalogue.ts"
import { queueLimit } from "../config/ServiceConfig.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { EngineRota } from "../failover/EngineRota.ts"
import { ServiceHealth } from "../failover/ServiceHealth.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { TaskQueue } from "../tasks/TaskQueue.ts"
import { TaskFeed, type StreamBehind } from "../requests/TaskFeed.ts"
import { TaskIntake } from "../requests/TaskIntake.ts"
import { forgetTrace } from "../tasks/TaskTraces.ts"
import { TaskWaiting } from "../requests/TaskWaiting.ts"
import type { StoredTask } from "../tasks/TaskRecord.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { TaskWorkers } from "../tasks/TaskWorkers.ts"
import { RequestGate } from "./RequestGate.ts"
import { WebhookSignature } from "../storage/WebhookSignature.ts"
import { originOf, taskResponse } from "../requests/TaskResponse.ts"
import { version } from "../../domain/values/Version.ts"
import { searchVoices } from "../catalogue/VoiceSearch.ts"
import { providerUnknown } from "../tasks/TaskAdmission.ts"

/** The handlers, as one group. */
export const handlers = HttpApiBuilder.group(SpeechApi, "speech", (group) =>
  Effect.gen(function* () {
    const { config, candid } = yield* ServiceOptions
    const { bodyBytes = 256_000 } = config.limits ?? {}
    const catalogue = yield* Catalogue
    const gate = yield* RequestGate
    const webhooks = yield* WebhookSignature
    const store = yield* TaskStore
    const intake = yield* TaskIntake
    const queue = yield* TaskQueue
    const workers = yield* TaskWorkers
    const waiting = yield* TaskWaiting
    const feed = yield* TaskFeed
    const files = yield* TaskFiles
    const health = yield* ServiceHealth
    const rota = yield* EngineRota

    const admitted = (scope: KeyScope) =>
      Effect.gen(function* () {
        const holder = yield* CurrentAccount
        yield* gate.admit(holder, scope)
        return holder.id
      })
    const account = admitted("read")
    const originFor = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">) =>
      originOf(config.publicUrl, headers["host"])

    const events = (
      request: HttpServerRequest.HttpServerRequest,
      tasks: Stream.Stream<StoredTask, StreamBehind>
    ) =>
      eventStream(
        // Changes that come together are written together.
        Stream.mapChunksEffect(tasks, (chunk) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const origin = originFor(request)
            const shown = Chunk.map(chunk, (task) => eventOf(taskResponse(files, origin, task, now), "task"))
            return Chunk.of(Chunk.join(shown, ""))
          })
        ).pipe(Stream.catchTag("StreamBehind", ({ message }) => Stream.make(eventOf({ message }, "behind"))))
      )

    return group
      .handle("health", () =>
        Effect.gen(function* () {
          yield* account
          const disk = yield* health.disk
          const providers = yield* rota.health(catalogue.offer())
          const isWell = health.isRoomy(disk) && providers.every(({ ready }) => ready)
          const status: Health["status"] = workers.draining() ? "draining" : isWell ? "ok" : "degraded"
          return {
            status,
            version,
            providers: providers.map(({ provider, ready, reason }) => ({
              provider: provider.id,
              ready,
              ...(reason === undefined ? {} : { reason: candid ? reason : awayForClients })
            })),
            disk: { free_bytes: disk.freeBytes, writable: disk.writable },
            idempotency: { retention_seconds: idempotencyRetention },
            events: { path: accountEventsPath },
            queue: { ...(yield* queue.counts), limit: queueLimit(config) }
          }
        })
      )
      .handle("credits", () =>
        Effect.gen(function* () {
          const { granted, used, reserved } = yield* store.balance(yield* account)
          const daily = yield* store.daily((yield* CurrentAccount).key)
          return {
            ...(granted === undefined ? {} : { credits: granted - used - reserved }),
            unlimited: granted === undefined,
            used,
            reserved,
            ...(daily === undefined ? {} : { daily })
          }
        })
      )
      .handle("providers", () =>
        Effect.gen(function* () {
          yield* account
          const all = yield* rota.health(catalogue.offer())
          return { providers: all.map(({ provider, ready }) => wireProvider(provider, ready)) }
        })
      )
      .handleRaw("models", ({ urlParams: { provider }, request: { headers } }) =>
        Effect.gen(function* () {
          yield* account
          // Clients of OpenAI's interface send their key as a bearer token.
          if (headers[keyHeader] === undefined && bearerIn(headers) !== undefined)
            return HttpServerResponse.unsafeJson(openAiModelList(catalogue.offer()))
          const offer = catalogue.offer()
          yield* known(offer, provider)
          const chosen = [...offer.providers.values()].filter(
            ({ id }) => provider === undefined || id === provider
          )
          return { models: chosen.flatMap(({ models }) => models.map(({ wire }) => wire)) }
        })
      )
      .handle("voices", ({ urlParams: { provider, search, page = 1, limit = defaultPageSize } }) =>
        Effect.gen(function* () {
          yield* account
          const offer = catalogue.offer()
          yield* known(offer, provider)
          const found = searchVoices([...offer.voices.values()], provider, search)
          const voices = found.slice((page - 1) * limit, page * limit)
          return { voices, page, limit, total: found.length, has_more: page * limit < found.length }
        })
      )
      .handleRaw("create", ({ path, request, headers }) =>
        Effect.gen(function* () {
          const owner = yield* admitted("create")
          const { key } = yield* CurrentAccount
          const body = yield* readBody(request, CreateTask, bodyBytes)
          const { taskId, characters, credits, replayed } = yield* intake.take({
            account: owner,
            key,
            voiceId: path.voice_id,
            body,
            origin: originFor(request),
            name: headers[idempotencyHeader]
          })
          const reference: TaskReference = { task_id: taskId, status: "queued", characters, credits }
          const options = replayed ? { headers: { "idempotency-replayed": "true" } } : {}
          return HttpServerResponse.unsafeJson(reference, options)
        })
      )
      .handleRaw("task", ({ path, request, headers }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const taskId = path.task_id.toLowerCase()
          const wait = waitIn(headers.prefer)
          const found = yield* wait === 0
            ? store.read(owner, taskId)
            : waiting.end(owner, taskId, wait * 1000)
          if (Option.isNone(found)) return yield* taskUnknown
          const now = yield* Clock.currentTimeMillis
          const { status, provider } = found.value
          const task = {
            ...taskResponse(files, originFor(request), found.value, now),
            ...(status === "queued"
              ? workers.expected(provider, yield* store.position(owner, provider, taskId))
              : {})
          }
          return wait === 0
            ? task
            : HttpServerResponse.unsafeJson(task, { headers: { "preference-applied": `wait=${wait}` } })
        })
      )
      .handleRaw("taskEvents", ({ path, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const taskId = path.task_id.toLowerCase()
          if (Option.isNone(yield* store.read(owner, taskId))) return yield* taskUnknown
          yield* feed.place(owner)
          return events(request, waiting.follow(owner, taskId))
        })
      )
      .handleRaw("accountEvents", ({ request }) =>
        Effect.gen(function* () {
          return events(request, yield* feed.open(yield* account))
        })
      )
      .handle("webhookSecret", () =>
        Effect.map(admitted("create"), (owner) => ({ secret: webhooks.secretOf(owner) }))
      )
      .handle("tasks", ({ urlParams: { page = 1, limit = defaultPageSize }, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const { tasks, total } = yield* store.page(owner, page, limit)
          const origin = originFor(request)
          const now = yield* Clock.currentTimeMillis
          const shown = tasks.map((task) => taskResponse(files, origin, task, now))
          return { tasks: shown, page, limit, total, has_more: page * limit < total }
        })
      )
      .handleRaw("remove", ({ request }) =>
        Effect.gen(function* () {
          const owner = yield* admitted("create")
          const body = yield* readBody(request, DeleteTask, bodyBytes)
          const taskId = body.task_id.toLowerCase()
          const removal = yield* store.remove(owner, taskId)
          switch (removal) {
            case "deleted":
              yield* forgetTrace(taskId)
              yield* files.remove(taskId)
              return { task_id: taskId, deleted: true }
            case "gone-already":
              return { task_id: taskId, deleted: false }
            case "unknown":
              return yield* taskUnknown
            case "under-way":
              return yield* new Conflict({
                code: "task_under_way",
                message: "task_id: this task is being spoken; delete it once it is done or failed",
                field: "task_id"
              })
          }
        })
      )
  })
)

/** Longest wait of a read, in seconds. */
const maxWait = 50

/** Returns the seconds that a Prefer header asks a read to wait for (RFC 7240, section 4.3); 0 without one. */
const waitIn = (prefer: string | undefined): number => {
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})/iu.exec(prefer ?? "") ?? []
  return Math.min(maxWait, Number(seconds ?? 0))
}

const taskUnknown = new NotFound({
  code: "task_unknown",
  message: "task_id: unknown task; GET /v1/tasks lists your tasks",
  field: "task_id"
})

/** The reason that clients see for an unavailable engine; the log has the details. */
const awayForClients = "its engine is unavailable"

/** Refuses a provider that is not offered. */
const known = (offer: Offer, provider: string | undefined): Either.Either<void, Unprocessable> =>
  provider === undefined || offer.providers.has(provider)
    ? Either.void
    : Either.left(providerUnknown(offer, provider))
