/** Handlers of the API's nine endpoints. */
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import { CurrentAccount } from "../../contract/Account.ts"
import { Conflict, NotFound, TooManyRequests } from "../../contract/Errors.ts"
import {
  defaultPageSize,
  idempotencyHeader,
  idempotencyRetention,
  SpeechApi
} from "../../contract/SpeechApi.ts"
import { CreateTask, DeleteTask, type TaskReference } from "../../contract/Task.ts"
import { version } from "../../domain/values/Version.ts"
import { providerUnknown } from "../tasks/TaskAdmission.ts"
import { readBody } from "./RequestBody.ts"
import { Catalogue, wireProvider } from "../catalogue/Catalogue.ts"
import { RateLimiter } from "../accounts/RateLimiter.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { ServiceHealth } from "../health/ServiceHealth.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { TaskQueue } from "../tasks/TaskQueue.ts"
import { TaskIntake } from "../tasks/TaskIntake.ts"
import { forgetTrace } from "../tasks/TaskTraces.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { TaskWorkers } from "../tasks/TaskWorkers.ts"
import { searchVoices } from "../catalogue/VoiceSearch.ts"
import { originOf, taskResponse } from "./TaskResponse.ts"

/** The handlers, as one group. */
export const handlers = HttpApiBuilder.group(SpeechApi, "speech", (group) =>
  Effect.gen(function* () {
    const { config, candid } = yield* ServiceOptions
    const { bodyBytes = 256_000, queue: limit = 10_000 } = config.limits ?? {}
    const catalogue = yield* Catalogue
    const limiter = yield* RateLimiter
    const store = yield* TaskStore
    const intake = yield* TaskIntake
    const queue = yield* TaskQueue
    const workers = yield* TaskWorkers
    const files = yield* TaskFiles
    const health = yield* ServiceHealth

    const account = Effect.gen(function* () {
      const { id } = yield* CurrentAccount
      const wait = yield* limiter.take(id)
      if (Option.isSome(wait)) {
        return yield* new TooManyRequests({
          code: "rate_limited",
          message: "too many requests; retry after the time in Retry-After",
          retry_after: wait.value
        })
      }
      return id
    })

    const knownProvider = (provider: string | undefined) =>
      provider === undefined || catalogue.offer().providers.has(provider)
        ? Effect.void
        : Effect.fail(providerUnknown(catalogue.offer(), provider))

    return group
      .handle("health", () =>
        Effect.gen(function* () {
          yield* account
          const disk = yield* health.disk
          const providers = yield* Effect.forEach(
            catalogue.offer().providers.values(),
            (provider) =>
              Effect.map(health.engine(provider.engine), ({ ready, reason }) => ({
                provider: provider.id,
                ready,
                ...(reason === undefined ? {} : { reason: candid ? reason : awayForClients })
              })),
            { concurrency: "unbounded" }
          )
          const well = (yield* health.roomy) && providers.every((provider) => provider.ready)
          return {
            status: workers.draining()
              ? ("draining" as const)
              : well
                ? ("ok" as const)
                : ("degraded" as const),
            version,
            providers,
            disk: { free_bytes: disk.freeBytes, writable: disk.writable },
            idempotency: { retention_seconds: idempotencyRetention },
            queue: { ...(yield* queue.counts), limit }
          }
        })
      )
      .handle("credits", () =>
        Effect.gen(function* () {
          const { granted, used, reserved } = yield* store.balance(yield* account)
          return {
            ...(granted === undefined ? {} : { credits: granted - used - reserved }),
            unlimited: granted === undefined,
            used,
            reserved
          }
        })
      )
      .handle("providers", () =>
        Effect.gen(function* () {
          yield* account
          return {
            providers: yield* Effect.forEach(
              catalogue.offer().providers.values(),
              (provider) =>
                Effect.map(health.engine(provider.engine), ({ ready }) => wireProvider(provider, ready)),
              { concurrency: "unbounded" }
            )
          }
        })
      )
      .handle("models", ({ urlParams: { provider } }) =>
        Effect.gen(function* () {
          yield* account
          yield* knownProvider(provider)
          return {
            models: [...catalogue.offer().providers.values()]
              .filter((each) => provider === undefined || each.id === provider)
              .flatMap((each) => each.models.map((model) => model.wire))
          }
        })
      )
      .handle("voices", ({ urlParams: { provider, search, page = 1, limit = defaultPageSize } }) =>
        Effect.gen(function* () {
          yield* account
          yield* knownProvider(provider)
          const found = searchVoices([...catalogue.offer().voices.values()], provider, search)
          return {
            voices: found.slice((page - 1) * limit, page * limit),
            page,
            limit,
            total: found.length,
            has_more: page * limit < found.length
          }
        })
      )
      .handleRaw("create", ({ path, request, headers }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const { key } = yield* CurrentAccount
          const body = yield* readBody(request, CreateTask, bodyBytes)
          const { taskId, characters, credits, replayed } = yield* intake.take({
            account: owner,
            key,
            voiceId: path.voice_id,
            body,
            name: headers[idempotencyHeader]
          })
          const reference: TaskReference = { task_id: taskId, status: "queued", characters, credits }
          return replayed
            ? HttpServerResponse.unsafeJson(reference, { headers: { "idempotency-replayed": "true" } })
            : reference
        })
      )
      .handle("task", ({ path, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const found = yield* store.read(owner, path.task_id.toLowerCase())
          if (Option.isNone(found)) return yield* taskUnknown
          return yield* taskResponse(files, originOf(config.publicUrl, request), found.value)
        })
      )
      .handle("tasks", ({ urlParams: { page = 1, limit = defaultPageSize }, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const { tasks, total } = yield* store.page(owner, page, limit)
          const origin = originOf(config.publicUrl, request)
          return {
            tasks: yield* Effect.forEach(tasks, (task) => taskResponse(files, origin, task)),
            page,
            limit,
            total,
            has_more: page * limit < total
          }
        })
      )
      .handleRaw("remove", ({ request }) =>
        Effect.gen(function* () {
          const owner = yield* account
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

/** The reason that clients see for an unavailable engine; the log has the details. */
const awayForClients = "its engine is unavailable"

const taskUnknown = new NotFound({
  code: "task_unknown",
  message: "task_id: unknown task",
  field: "task_id"
})
