/** The calls of the gateway to the speech service. */
import { Effect, Either } from "effect"
import type { Provider } from "../contract/ProviderCatalogue.ts"
import { TaskId } from "../domain/values/Ids.ts"
import { defaultDialect, fillTemplate } from "../domain/manifest/ServiceDialect.ts"
import { type LostCreate, makeIdempotencyProof } from "./requests/IdempotencyProof.ts"
import type { NamedCreate } from "./requests/NamedCreate.ts"
import { makeDownload } from "./requests/Download.ts"
import { type ExchangeRequest, jsonAnswer, makeExchange } from "./requests/ServiceExchange.ts"
import { type CallFault, NoAudio, UnreadableCreate, Vanished } from "./GatewayErrors.ts"
import {
  creditsOf,
  healthOf,
  modelListOf,
  providersOf,
  taskOf,
  taskPageOf,
  voicePageOf
} from "./response/ResponseReading.ts"
import { followTasks } from "./requests/TaskFollowing.ts"
import type { MaySend } from "./requests/SendWindow.ts"
import { makeTaskHistory } from "./requests/TaskHistory.ts"
import { retryPatiently } from "./pacing/RetrySchedules.ts"
import { presentable, ServiceAddress } from "./transport/ServiceAddress.ts"
import { type DoneTask, creditsStated, type TaskSnapshot, taskSnapshotOf } from "./response/TaskSnapshot.ts"
import { HttpTransport } from "./transport/HttpTransport.ts"

/** A task that the service accepted. */
export interface Accepted {
  readonly task: TaskId
  /** The task's cost, if the service reports it. */
  readonly credits: number | undefined
}

/** Which voices to list. */
export interface VoiceQuery {
  readonly provider?: string | undefined
  readonly search?: string | undefined
  readonly page?: number | undefined
  readonly limit?: number
}

/** Makes the calls; loaded when a gateway is first connected. */
export const makeCalls = Effect.gen(function* () {
  const address = yield* ServiceAddress
  const { key, dialect = defaultDialect } = address
  const { paths } = dialect
  const clock = yield* Effect.clock
  const exchange = makeExchange(address, yield* HttpTransport, () => clock.unsafeCurrentTimeMillis())
  const download = yield* makeDownload

  const pathOf = (template: string, values: { readonly task?: string }): string => {
    const encoded = Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)] as const)
    return String(fillTemplate(template, Object.fromEntries(encoded)) ?? template)
  }

  /** Reads a list or an account. `query` is its parameters; those without a value are left out. */
  const get = <A>(
    path: string,
    read: (value: unknown) => A | undefined,
    query: Readonly<Record<string, string | number | undefined>> = {}
  ): Effect.Effect<A, CallFault> => {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] satisfies [string, string]]
    )
    const asked: ExchangeRequest = {
      method: "GET",
      path: given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`,
      provesKey: path === paths.tasks || path === paths.credits
    }
    return exchange(asked, jsonAnswer(key, read))
  }
  const patient = <A>(call: Effect.Effect<A, CallFault>) => Effect.retry(call, retryPatiently)

  const taskPage = (query: { readonly page?: number | undefined; readonly limit?: number | undefined }) =>
    patient(get(paths.tasks, (value) => taskPageOf(value, dialect), query))
  const history = yield* makeTaskHistory((page, limit) => taskPage({ page, limit }))

  const health = get(paths.health, healthOf)
  const proof = yield* makeIdempotencyProof(
    exchange,
    Effect.map(health, ({ idempotency }) => idempotency?.retention_seconds)
  )

  const requestOf = (create: NamedCreate, maySend?: MaySend): ExchangeRequest => ({
    method: "POST",
    path: create.path,
    body: create.body,
    encoding: create.encoding,
    idempotencyKey: create.key,
    maySend,
    provesKey: true
  })
  const taskRequest = (task: string): ExchangeRequest => ({
    method: "GET",
    path: pathOf(paths.task, { task }),
    provesKey: true
  })

  /**
   * Creates a task, without retries: only the store and the history show whether a retry would be charged twice.
   * `maySend` is asked right before it is sent.
   */
  const submit = (
    create: NamedCreate,
    maySend?: MaySend
  ): Effect.Effect<Accepted, CallFault | UnreadableCreate> =>
    exchange(requestOf(create, maySend), ({ value, body }) => {
      const { task_id: task, credits } = taskOf(value, undefined, dialect)
      if (task === undefined)
        return Either.left(new UnreadableCreate({ words: presentable(body, key), fields: dialect.fields.id }))
      proof.accepted(create)
      return Either.right({ task: TaskId.make(task), credits: creditsStated(credits) })
    })

  /** Sends a request once. Returns its answer as it came, and its beginning for display. */
  const plain = (asked: ExchangeRequest) =>
    exchange(asked, ({ value, body }) => Either.right({ value, said: presentable(body, key) }))

  /** Polls a task once, without retries. */
  const look = (task: TaskId): Effect.Effect<TaskSnapshot, CallFault | Vanished> =>
    exchange(
      taskRequest(task),
      jsonAnswer(key, (value) => ({ ...taskOf(value, task, dialect), task_id: task }))
    ).pipe(
      Effect.map((read) => taskSnapshotOf(read, (said) => presentable(said, key))),
      Effect.mapError((fault) =>
        fault._tag === "Refused" && fault.reason === "unknown" ? new Vanished({ task }) : fault
      )
    )

  const stated = patient(get(paths.providers, providersOf))
  const providers = Effect.map(stated, (read) => ({ providers: read.providers.map(({ listed }) => listed) }))
  const voices = (query: VoiceQuery) => patient(get(paths.voices, voicePageOf, { ...query }))

  /** Lists the voices of each provider, as one page. */
  const voicesOfAll = (providers: ReadonlyArray<Provider>, query: VoiceQuery) =>
    Effect.gen(function* () {
      const pages = yield* Effect.forEach(providers, ({ provider }) =>
        Effect.map(voices({ ...query, provider }), (page) => ({ ...page, provider }))
      )
      return {
        has_more: pages.some((page) => page.has_more),
        voices: pages.flatMap((page) =>
          page.voices.map((voice) => ({ ...voice, provider: voice.provider || page.provider }))
        )
      }
    })

  /** Returns fresh URLs of a done task, for a fetch whose URL failed. */
  const again = (task: TaskId): Effect.Effect<DoneTask, CallFault | Vanished | NoAudio> =>
    look(task).pipe(
      Effect.flatMap((sight) =>
        sight._tag === "Done"
          ? Effect.succeed(sight)
          : new NoAudio({ reason: "stale", words: "the task no longer has an audio URL" })
      )
    )

  return {
    submit,

    /**
     * Sends a create without a response again if the service certainly recognizes it. Otherwise sends nothing, and
     * returns undefined.
     */
    resend: (
      create: NamedCreate,
      lost: LostCreate
    ): Effect.Effect<Accepted | undefined, CallFault | UnreadableCreate> =>
      Effect.gen(function* () {
        return (yield* proof.isSafe(create, lost)) ? yield* submit(create) : undefined
      }),

    look,

    /** Follows the account's tasks, if the service's health says that it offers events. */
    follow: followTasks(address),

    /**
     * Fetches a done task's audio and transcript. On a stale URL, a truncated body, or a page instead of audio, asks
     * the task for a fresh URL and retries.
     */
    fetch: (
      done: DoneTask,
      characters: number,
      stalled: (words: string) => Effect.Effect<void> = () => Effect.void
    ) => download(done, characters, again(done.task), stalled),

    /** Searches the history for markers. */
    history,

    /** Deletes a task. A task that no longer exists counts as deleted. */
    remove: Effect.fn("GatewayCalls.remove")((task: TaskId) =>
      exchange(
        {
          method: "DELETE",
          path: pathOf(paths.remove, { task }),
          body: JSON.stringify({ task_id: task }),
          provesKey: true
        },
        () => Either.void
      ).pipe(
        Effect.retry(retryPatiently),
        Effect.catchTag("Refused", (fault) => (fault.reason === "unknown" ? Effect.void : Effect.fail(fault)))
      )
    ),

    /** Succeeds if the service responds. No retries. */
    ping: Effect.asVoid(health),

    /** Returns the account's credits; undefined if unlimited or not reported. No retries. */
    balance: Effect.map(
      get(paths.credits, (value) => creditsOf(value, dialect)),
      ({ credits, unlimited }) => (unlimited ? undefined : credits)
    ),

    /** Answers as they came, without retries: to a create, about a task, and the history. */
    plainCreate: (create: NamedCreate) => plain(requestOf(create)),
    plainTask: (task: string) => plain(taskRequest(task)),
    plainTasks: plain({ method: "GET", path: `${paths.tasks}?limit=100`, provesKey: true }),

    /** The read endpoints, in the contract's shape. */
    reads: {
      health: patient(health),
      credits: patient(get(paths.credits, (value) => creditsOf(value, dialect))),
      providers,
      /** What the service states about its providers. */
      stated,
      models: (provider?: string) => patient(get(paths.models, modelListOf, { provider })),
      voices: (query: VoiceQuery) =>
        voices(query).pipe(
          // Some services list the voices of one provider only.
          Effect.catchIf(
            (fault) => fault._tag === "Refused" && fault.reason === "rules" && query.provider === undefined,
            () => Effect.flatMap(providers, (list) => voicesOfAll(list.providers, query))
          )
        ),
      tasks: (query: { readonly page?: number | undefined; readonly limit?: number }) =>
        Effect.map(taskPage(query), ({ unread: _, ...page }) => ({
          ...page,
          tasks: page.tasks.map(({ text: _text, silent: _silent, ...task }) => task)
        }))
    }
  }
})
