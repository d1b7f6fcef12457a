/** The interface's nine endpoints, each in a few lines over the services that know. */
import { randomUUID } from "node:crypto"
import { HttpApiBuilder, type HttpServerRequest } from "@effect/platform"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { CurrentAccount } from "../contract/Account.ts"
import {
  Conflict,
  NotFound,
  PaymentRequired,
  TooManyRequests,
  Unauthorized,
  Unavailable
} from "../contract/Errors.ts"
import { defaultPageSize, KeySecurity, SpeechApi } from "../contract/SpeechApi.ts"
import { CreateTask, DeleteTask, type Task } from "../contract/Task.ts"
import { admit, providerUnknown } from "./Admission.ts"
import { readBody } from "./Body.ts"
import { Catalogue, wireProvider } from "./Catalogue.ts"
import { Health } from "./Health.ts"
import type { KeyHolder } from "./Keys.ts"
import { type FileKind, TaskFiles } from "./TaskFiles.ts"
import { type StoredTask, TaskStore } from "./TaskStore.ts"
import { searchVoices } from "./VoiceSearch.ts"

/** What the handlers must know of the service that runs them. */
export class Desk extends Context.Tag("service/Desk")<
  Desk,
  {
    readonly version: string
    readonly bodyBytes: number
    /** Seconds at which an SRT's last entry must have begun. */
    readonly timeline: number
    /** Tasks that may wait at once. */
    readonly queue: number
    /** Free bytes below which no task is taken on. */
    readonly freeDisk: number
    readonly publicUrl: string | undefined
    /** Whether the service is stopping. */
    readonly draining: () => boolean
    /** Tells a provider's workers of a new task. */
    readonly wake: (provider: string) => Effect.Effect<void>
    readonly recognise: (key: Redacted.Redacted<string>) => Effect.Effect<Option.Option<KeyHolder>>
    /** Counts a request of an account; seconds to wait where it has made too many. */
    readonly pace: (account: number) => Effect.Effect<Option.Option<number>>
  }
>() {}

/** Recognises the key of a request. */
export const keySecurity = Layer.effect(
  KeySecurity,
  Effect.map(Desk, (desk) =>
    KeySecurity.of({
      key: (key) =>
        Effect.gen(function* () {
          if (Redacted.value(key) === "") {
            return yield* new Unauthorized({
              code: "key_missing",
              message: "the header xi-api-key is missing",
              field: "xi-api-key"
            })
          }
          const holder = yield* desk.recognise(key)
          if (Option.isNone(holder)) {
            return yield* new Unauthorized({
              code: "key_unknown",
              message: "xi-api-key: this key is unknown or revoked",
              field: "xi-api-key"
            })
          }
          return holder.value
        })
    })
  )
)

/** The endpoints. */
export const handlers = HttpApiBuilder.group(SpeechApi, "speech", (group) =>
  Effect.gen(function* () {
    const desk = yield* Desk
    const catalogue = yield* Catalogue
    const store = yield* TaskStore
    const files = yield* TaskFiles
    const health = yield* Health

    const account = Effect.gen(function* () {
      const { id } = yield* CurrentAccount
      const wait = yield* desk.pace(id)
      if (Option.isSome(wait)) {
        return yield* new TooManyRequests({
          code: "rate_limited",
          message: "too many requests; see Retry-After",
          retry_after: wait.value
        })
      }
      return id
    })

    const knownProvider = (provider: string | undefined) =>
      provider === undefined || catalogue.providers.has(provider)
        ? Effect.void
        : Effect.fail(providerUnknown(catalogue, provider))

    const available = (engine: string) =>
      Effect.gen(function* () {
        const disk = yield* health.disk
        if (!disk.writable || disk.freeBytes < desk.freeDisk) {
          return yield* new Unavailable({
            code: "disk_full",
            message: "the service has no room for more audio",
            retry_after: 60
          })
        }
        const { ready } = yield* health.engine(engine)
        if (!ready) {
          return yield* new Unavailable({
            code: "engine_unavailable",
            message: "this provider's engine cannot work now; GET /v1/health-check says more",
            retry_after: 30
          })
        }
        const { queued } = yield* store.counts
        if (queued >= desk.queue) {
          return yield* new TooManyRequests({
            code: "queue_full",
            message: `${queued} tasks wait already; see Retry-After`,
            retry_after: 5
          })
        }
      })

    return group
      .handle("health", () =>
        Effect.gen(function* () {
          yield* account
          const disk = yield* health.disk
          const providers = yield* Effect.forEach(
            catalogue.providers.values(),
            (provider) =>
              Effect.map(health.engine(provider.engine), ({ ready, reason }) => ({
                provider: provider.id,
                ready,
                ...(reason === undefined ? {} : { reason })
              })),
            { concurrency: "unbounded" }
          )
          const well =
            disk.writable && disk.freeBytes >= desk.freeDisk && providers.every((provider) => provider.ready)
          return {
            status: desk.draining() ? ("draining" as const) : well ? ("ok" as const) : ("degraded" as const),
            version: desk.version,
            providers,
            disk: { free_bytes: disk.freeBytes, writable: disk.writable },
            queue: { ...(yield* store.counts), limit: desk.queue }
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
            providers: yield* Effect.forEach(catalogue.providers.values(), (provider) =>
              Effect.map(health.engine(provider.engine), ({ ready }) => wireProvider(provider, ready))
            )
          }
        })
      )
      .handle("models", ({ urlParams: { provider } }) =>
        Effect.gen(function* () {
          yield* account
          yield* knownProvider(provider)
          return {
            models: [...catalogue.providers.values()]
              .filter((each) => provider === undefined || each.id === provider)
              .flatMap((each) => each.models.map((model) => model.wire))
          }
        })
      )
      .handle("voices", ({ urlParams: { provider, search, page = 1, limit = defaultPageSize } }) =>
        Effect.gen(function* () {
          yield* account
          yield* knownProvider(provider)
          const found = searchVoices([...catalogue.voices.values()], provider, search)
          return {
            voices: found.slice((page - 1) * limit, page * limit),
            page,
            limit,
            total: found.length,
            has_more: page * limit < found.length
          }
        })
      )
      .handleRaw("create", ({ path, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const body = yield* readBody(request, CreateTask, desk.bodyBytes)
          if (desk.draining()) return yield* stopping
          const order = yield* admit(catalogue, path.voice_id, body, desk.timeline)
          yield* available(order.provider.engine)
          const taskId = randomUUID()
          yield* store
            .create({
              ...order,
              taskId,
              account: owner,
              provider: order.provider.id,
              model: order.model.wire.model_id,
              voice: order.voice.wire.voice_id
            })
            .pipe(
              Effect.catchTag(
                "CreditsShort",
                ({ needed, left }) =>
                  new PaymentRequired({
                    code: "credits_short",
                    message: `this task costs ${needed} credits and ${left} are left`
                  })
              )
            )
          yield* desk.wake(order.provider.id)
          return {
            task_id: taskId,
            status: "queued" as const,
            characters: order.characters,
            credits: order.credits
          }
        })
      )
      .handle("task", ({ path, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const found = yield* store.read(owner, path.task_id.toLowerCase())
          if (Option.isNone(found)) return yield* taskUnknown
          return yield* wireTask(files, originOf(desk, request), found.value)
        })
      )
      .handle("tasks", ({ urlParams: { page = 1, limit = defaultPageSize }, request }) =>
        Effect.gen(function* () {
          const owner = yield* account
          const { tasks, total } = yield* store.page(owner, page, limit)
          const origin = originOf(desk, request)
          return {
            tasks: yield* Effect.forEach(tasks, (task) => wireTask(files, origin, task)),
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
          const body = yield* readBody(request, DeleteTask, desk.bodyBytes)
          const taskId = body.task_id.toLowerCase()
          const removal = yield* store.remove(owner, taskId)
          switch (removal) {
            case "deleted":
              yield* files.remove(taskId)
              return { task_id: taskId, deleted: true }
            case "gone-already":
              return { task_id: taskId, deleted: false }
            case "unknown":
              return yield* taskUnknown
            case "under-way":
              return yield* new Conflict({
                code: "task_under_way",
                message: "task_id: this task is being spoken; delete it when it has ended",
                field: "task_id"
              })
          }
        })
      )
  })
)

const taskUnknown = new NotFound({
  code: "task_unknown",
  message: "task_id: there is no such task",
  field: "task_id"
})

const stopping = new Unavailable({
  code: "draining",
  message: "the service is stopping and takes no new task",
  retry_after: 10
})

/** Where the client reaches the service: as the settings say, else as the request itself does. */
const originOf = (desk: Context.Tag.Service<Desk>, request: HttpServerRequest.HttpServerRequest): string => {
  if (desk.publicUrl !== undefined) return desk.publicUrl.replace(/\/+$/u, "")
  const host = request.headers["host"] ?? ""
  return /^[A-Za-z0-9._~:[\]-]{1,255}$/u.test(host) ? `http://${host}` : ""
}

const wireTask = (
  files: Context.Tag.Service<TaskFiles>,
  origin: string,
  task: StoredTask
): Effect.Effect<Task> =>
  Effect.gen(function* () {
    const address = (kind: FileKind) =>
      Effect.map(files.addressOf(task.taskId, kind), (path) => `${origin}${path}`)
    const done = task.status === "done"
    return {
      task_id: task.taskId,
      status: task.status,
      provider: task.provider,
      model_id: task.model,
      voice_id: task.voice,
      ...(task.voiceName === undefined ? {} : { voice_name: task.voiceName }),
      characters: task.characters,
      credits: task.credits,
      created_at: new Date(task.createdAt).toISOString(),
      ...(task.completedAt === undefined ? {} : { completed_at: new Date(task.completedAt).toISOString() }),
      ...(task.durationMs === undefined ? {} : { duration: task.durationMs / 1000 }),
      ...(done ? { audio_url: yield* address(task.format === "wav" ? "wav" : "mp3") } : {}),
      ...(done && task.hasSrt ? { srt_url: yield* address("srt") } : {}),
      ...(done && task.hasJson ? { json_url: yield* address("json") } : {}),
      ...(task.error === undefined ? {} : { error: task.error })
    }
  })
