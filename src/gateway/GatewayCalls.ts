/** The calls of the gateway to the speech service. */
import { Effect, Either, Duration } from "effect"
import type { Provider } from "../contract/ProviderCatalogue.ts"
import { TaskId } from "../domain/values/Ids.ts"
import { defaultDialect, fillTemplate } from "../domain/manifest/ServiceDialect.ts"
import type { NamedCreate } from "./requests/NamedCreate.ts"
import { makeDownload } from "./requests/Download.ts"
import { jsonAnswer, makeExchange, type ExchangeRequest, type Exchange } from "./requests/ServiceExchange.ts"
import { NoAudio, UnreadableCreate, Vanished, type CallFault } from "./GatewayErrors.ts"
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
import { creditsStated, taskSnapshotOf, type DoneTask, type TaskSnapshot } from "./response/TaskSnapshot.ts"
import { HttpTransport } from "./transport/HttpTransport.ts"
import { randomUUID } from "node:crypto"

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
        Effect.map(taskPage(query), ({ unread: _, namesMore: _more, ...page }) => ({
          ...page,
          tasks: page.tasks.map(({ text: _text, silent: _silent, ...task }) => task)
        }))
    }
  }
})

/** When and by whom a create without a response was sent. */
export interface LostCreate {
  /** Milliseconds since it was announced. */
  readonly age: number
  /** Whether it was certainly sent with this idempotency key, if it was sent. */
  readonly isNamed: boolean
}

/** Time before the end of the service's retention after which nothing is sent again. */
const margin = Duration.toMillis("1 hour")

/** Upper limit of a service's stated retention. */
const maxRetention = Duration.toMillis("7 days")

/**
 * Makes the proof for one service. A claim is not enough: a service that ignores the key would charge twice.
 *
 * The service must state its retention in its health check, and then pass a test that costs nothing. A create with an
 * empty text, which any service rejects, is sent twice. With the key of an earlier create, it must be rejected as
 * reused; with a new key, for another reason.
 */
const makeIdempotencyProof = (exchange: Exchange, retention: Effect.Effect<number | undefined, CallFault>) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let accepted: NamedCreate | undefined
    let isProven: boolean | undefined
    let kept = 0

    const isReused = ({ path, provider }: NamedCreate, key: string) =>
      exchange(
        { method: "POST", path, body: JSON.stringify({ text: "", provider }), idempotencyKey: key },
        () => Either.right(false)
      ).pipe(Effect.catchTag("Refused", ({ code }) => Effect.succeed(code === "idempotency_key_reused")))

    const prove = (lost: NamedCreate, lostKey: string) =>
      Effect.gen(function* () {
        if (isProven !== undefined) return isProven
        const stated = yield* retention
        if (stated === undefined) return (isProven = false)
        const known = accepted?.key === undefined ? undefined : accepted
        if (yield* isReused(lost, `probe-${randomUUID()}`)) return (isProven = false)
        const isKnown = yield* isReused(known ?? lost, known?.key ?? lostKey)
        kept = Math.min(stated * 1000, maxRetention) - margin
        // The lost create may not have arrived: then its unknown key proves nothing.
        if (isKnown || known !== undefined) isProven = isKnown
        return isKnown
      })

    return {
      /** Records a create that made a task. */
      accepted: (create: NamedCreate): void => {
        accepted = create
      },
      /** Whether a lost create can be sent again without a second charge. Unknown counts as no. */
      isSafe: (lost: NamedCreate, { age, isNamed }: LostCreate): Effect.Effect<boolean> =>
        Effect.gen(function* () {
          const { key } = lost
          if (key === undefined || !(yield* turn.withPermits(1)(prove(lost, key)))) return false
          if (age < 0 || age >= kept) return false
          // An earlier version may have sent it without a key, or with another body.
          return isNamed || (yield* isReused(lost, key))
        }).pipe(Effect.orElseSucceed(() => false))
    }
  })
