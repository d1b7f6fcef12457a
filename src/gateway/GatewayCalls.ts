/** The calls of the gateway to the speech service. */
import { UrlParams } from "@effect/platform"
import { Effect, Duration, RegExp as RegularExpression, Redacted, Struct } from "effect"
import { TaskId } from "../domain/values/Ids.ts"
import { defaultDialect, fillTemplate } from "../domain/manifest/ServiceDialect.ts"
import type { MaySend, NamedCreate } from "./requests/NamedCreate.ts"
import { makeDownload, type Stalled } from "./requests/Download.ts"
import {
  NoAudio,
  UnreadableCreate,
  Vanished,
  InvalidResponse,
  Refused,
  SlowDown,
  type CallFault
} from "./GatewayErrors.ts"
import {
  creditsOf,
  healthOf,
  modelListOf,
  providersOf,
  taskOf,
  taskPageOf,
  voicePageOf,
  isOfTask
} from "./exchange/ResponseReading.ts"
import { followTasks } from "./requests/TaskFollowing.ts"
import { makeTaskHistory } from "./requests/TaskHistory.ts"
import { retryPatiently } from "./pacing/RetrySchedules.ts"
import { isOwn, pathUnder, presentable, ServiceAddress } from "./exchange/ServiceAddress.ts"
import { creditsStated, taskSnapshotOf, type DoneTask, type TaskSnapshot } from "./exchange/TaskSnapshot.ts"
import { HttpTransport, type HttpAnswer } from "./exchange/HttpTransport.ts"
import { randomUUID } from "node:crypto"
import { idempotencyHeader, keyHeader } from "../contract/SpeechApi.ts"
import { millis } from "../domain/time/Units.ts"
import { embeddedStatus, refusalOf } from "./exchange/Refusals.ts"

/** A task that the service accepted. */
export interface Accepted {
  readonly task: TaskId
  /** The task's cost, if the service reports it. */
  readonly credits: number | undefined
}

/** The page of a list; without a number or size, the service's first or usual one. */
export interface PageQuery {
  readonly page?: number | undefined
  readonly limit?: number | undefined
}

/** Which voices to list. */
export interface VoiceQuery extends PageQuery {
  readonly provider?: string | undefined
  readonly search?: string | undefined
}

/** Makes the calls; loaded when a gateway is first connected. */
export const makeCalls = Effect.gen(function* () {
  const address = yield* ServiceAddress
  const { baseUrl, key, dialect = defaultDialect } = address
  const { paths } = dialect
  const shown = (said: string) => presentable(said, key)
  const clock = yield* Effect.clock
  const exchange = makeExchange(address, yield* HttpTransport, () => clock.unsafeCurrentTimeMillis())
  const download = yield* makeDownload

  const pathOf = (template: string, task: string) =>
    String(fillTemplate(template, { task: encodeURIComponent(task) }))

  /** Reads an answer that must be JSON, or empty. */
  const ofJson =
    <A>(read: (value: unknown) => A | undefined) =>
    ({ value, body }: Success): Effect.Effect<A, InvalidResponse> => {
      if (value === undefined && body.trim() !== "")
        return new InvalidResponse({ words: `not JSON: ${shown(body)}` })
      const answer = read(value ?? null)
      return answer === undefined
        ? new InvalidResponse({ words: "the response lacks required fields" })
        : Effect.succeed(answer)
    }

  /** Reads a list or an account. `query` is its parameters; those without a value are left out. */
  const get = <A>(path: string, read: (value: unknown) => A | undefined, query: UrlParams.Input = {}) => {
    const parameters = UrlParams.toString(UrlParams.fromInput(query))
    const asked = { method: "GET", path: parameters === "" ? path : `${path}?${parameters}` } as const
    // Anyone may read the catalogue of some services.
    return exchange({ ...asked, isPublic: path !== paths.tasks && path !== paths.credits }, ofJson(read))
  }
  const patient = <A>(call: Effect.Effect<A, CallFault>) => Effect.retry(call, retryPatiently)

  const taskPage = (query: PageQuery) =>
    patient(get(paths.tasks, (value) => taskPageOf(value, dialect), { ...query }))
  const history = yield* makeTaskHistory((page, limit) => taskPage({ page, limit }))

  const health = get(paths.health, healthOf)
  const proof = yield* makeIdempotencyProof(
    exchange,
    Effect.map(health, ({ idempotency }) => idempotency?.retention_seconds)
  )

  /** The address of a task. */
  const taskAt = new RegExp(
    `${RegularExpression.escape(paths.task).replace("\\{task\\}", "([\\w.:~-]+)")}/?$`,
    "u"
  )

  const requestOf = (create: NamedCreate, maySend?: MaySend) =>
    ({ ...create, method: "POST", maySend }) as const
  const taskRequest = (task: string) => ({ method: "GET", path: pathOf(paths.task, task) }) as const

  /**
   * Creates a task, without retries: only the store and the history show whether a retry would be charged twice.
   * `maySend` is asked right before it is sent.
   */
  const submit = (create: NamedCreate, maySend?: MaySend) =>
    exchange(
      requestOf(create, maySend),
      ({ value, body, header }): Effect.Effect<Accepted, UnreadableCreate> => {
        const { task_id, credits } = taskOf(value ?? body.trim(), undefined, dialect)
        const task = task_id ?? taskAt.exec(header("location") ?? header("operation-location") ?? "")?.[1]
        if (task === undefined) return new UnreadableCreate({ words: shown(body), fields: dialect.fields.id })
        proof.accepted(create)
        return Effect.succeed({ task: TaskId.make(task), credits: creditsStated(credits) })
      }
    )

  /** Sends a request once. Returns its answer as it came, and its beginning for display. */
  const plain = (asked: ExchangeRequest) =>
    exchange(asked, ({ value, body }) => Effect.succeed({ value, said: shown(body) }))

  /** Polls a task once, without retries. */
  const look = (task: TaskId): Effect.Effect<TaskSnapshot, CallFault | Vanished> =>
    exchange(taskRequest(task), (answer): Effect.Effect<TaskSnapshot, InvalidResponse> => {
      const read = (value: unknown) => taskSnapshotOf(taskOf(value, task, dialect), task, shown)
      // A service without addresses answers with the audio itself.
      const isAudio = /^(audio\/|application\/octet-stream)/iu.test(answer.header("content-type") ?? "")
      return isAudio
        ? Effect.succeed(read({ status: "done", audio_url: pathUnder(baseUrl, pathOf(paths.task, task)) }))
        : ofJson(read)(answer)
    }).pipe(
      Effect.catchTag("Refused", (fault): Effect.Effect<TaskSnapshot, CallFault | Vanished> => {
        if (fault.reason === "unknown") return new Vanished({ task })
        const isEarly =
          fault.reason === "rules" &&
          /not .*(ready|done|finish|complete|available)|process|pending|progress|queue/iu.test(fault.words)
        return isEarly ? Effect.succeed({ _tag: "Waiting", label: undefined, seen: fault.words }) : fault
      })
    )

  const credits = get(paths.credits, (value) => creditsOf(value, dialect))
  const stated = patient(get(paths.providers, providersOf))
  const providers = Effect.map(stated, (read) => ({ providers: read.providers.map(({ listed }) => listed) }))
  const voices = (query: VoiceQuery) => patient(get(paths.voices, voicePageOf, { ...query }))

  /** Lists the voices of each provider, as one page. */
  const voicesOfAll = (query: VoiceQuery) =>
    Effect.gen(function* () {
      const pages = yield* Effect.forEach((yield* providers).providers, ({ provider: own }) =>
        Effect.map(voices({ ...query, provider: own }), ({ has_more, voices: listed }) => ({
          has_more,
          voices: listed.map((voice) => ({ ...voice, provider: voice.provider || own }))
        }))
      )
      return { has_more: pages.some((page) => page.has_more), voices: pages.flatMap((page) => page.voices) }
    })

  /** Returns fresh URLs of a done task, for a fetch whose URL failed. */
  const again = (task: TaskId) =>
    Effect.filterOrFail(
      look(task),
      (sight) => sight._tag === "Done",
      () => new NoAudio({ reason: "stale", words: "the task no longer has an audio URL" })
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
    fetch: (done: DoneTask, characters: number, stalled: Stalled = () => Effect.void) =>
      download(done, characters, again(done.task), stalled),

    /** Searches the history for markers. */
    history,

    /** Deletes a task. A task that no longer exists counts as deleted. */
    remove: Effect.fn("GatewayCalls.remove")((task: TaskId) => {
      const body = JSON.stringify({ task_id: task })
      const removed = exchange(
        { method: "DELETE", path: pathOf(paths.remove, task), body },
        () => Effect.void
      )
      return Effect.catchTag(patient(removed), "Refused", (fault) =>
        fault.reason === "unknown" ? Effect.void : fault
      )
    }),

    /** Succeeds if the service responds. No retries. */
    ping: Effect.asVoid(health),

    /** Returns the account's credits; undefined if unlimited or not reported. No retries. */
    balance: Effect.map(credits, (account) => (account.unlimited ? undefined : account.credits)),

    /** Answers as they came, without retries: to a create, about a task, and the history. */
    plainCreate: (create: NamedCreate) => plain(requestOf(create)),
    plainTask: (task: string) => plain(taskRequest(task)),
    plainTasks: plain({ method: "GET", path: `${paths.tasks}?limit=100` }),

    /** The read endpoints, in the contract's shape. */
    reads: {
      health: patient(health),
      credits: patient(credits),
      providers,
      /** What the service states about its providers. */
      stated,
      models: (provider?: string) => patient(get(paths.models, modelListOf, { provider })),
      voices: (query: VoiceQuery) =>
        voices(query).pipe(
          // Some services list the voices of one provider only.
          Effect.catchIf(
            (fault) => fault._tag === "Refused" && fault.reason === "rules" && query.provider === undefined,
            () => voicesOfAll(query)
          )
        ),
      tasks: (query: PageQuery) =>
        Effect.map(taskPage(query), ({ tasks }) => ({
          tasks: tasks.map(Struct.omit("text", "silent", "seen"))
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
      Effect.catchTag(
        exchange({ method: "POST", path, body: JSON.stringify({ text: "", provider }), key }, () =>
          Effect.succeed(false)
        ),
        "Refused",
        ({ code }) => Effect.succeed(code === "idempotency_key_reused")
      )

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

/** A request of the interface. With an idempotency key, the service recognizes it when it is sent again. */
interface ExchangeRequest extends Partial<NamedCreate> {
  readonly method: "GET" | "POST" | "DELETE"
  /** Path relative to the base URL, percent-encoded, with its query. */
  readonly path: string
  /** Whether an answer with success does not prove that the key is valid. */
  readonly isPublic?: boolean
  /** Checked right before the request is sent. If false, it fails as `Unreachable`. */
  readonly maySend?: MaySend | undefined
}

/** An answer with a status of success: as JSON, undefined if it is none, and as text. */
interface Success {
  readonly value: unknown
  readonly body: string
  readonly header: HttpAnswer["header"]
}

/** Sends a request, and reads an answer with a status of success. */
type Exchange = ReturnType<typeof makeExchange>

/**
 * How long a key may be rejected that was accepted before: some services answer 401 when they are busy. Meanwhile,
 * requests wait for at least `minWait`.
 */
const maxDenial = Duration.toMillis("4 minutes")
const minWait = Duration.toMillis("15 seconds")
const maxWait = Duration.toMillis("1 minute")

/** Maximum bytes of a response. */
const maxBytes = 16 * 1024 * 1024

/** Maximum redirects of a request. */
const maxRedirects = 5

/** Makes the exchange with one service. `now` returns milliseconds since 1970. */
const makeExchange = (
  { baseUrl, key, answerWithin }: ServiceAddress["Type"],
  transport: HttpTransport,
  now: () => number
) => {
  const within = Duration.decode(answerWithin)
  let isAccepted = false
  let deniedSince: number | undefined

  /** Takes a rejection of a key that was accepted before for a request to slow down, for some minutes. */
  const throttled = (fault: CallFault, status: number, method: string): CallFault => {
    if (!isAccepted || fault._tag !== "Refused" || fault.reason !== "key") return fault
    if (status === 403 && method === "GET") return new Refused({ reason: "rules", words: fault.words })
    if (status !== 401) return fault
    deniedSince ??= now()
    const since = Math.max(0, now() - deniedSince)
    if (since >= maxDenial) return fault
    const retryAfter = millis(Math.min(maxWait, Math.max(minWait, since)))
    return new SlowDown({ words: `it rejects the key that it accepted before: ${fault.words}`, retryAfter })
  }

  /**
   * Returns the path that a redirect names. The target must be within the service's own origin: the key is never sent
   * elsewhere, and no request is sent without it.
   */
  const pointedTo = (method: string, path: string, status: number, location: string) => {
    const here = new URL(path, baseUrl)
    const target = URL.canParse(location, here.href) ? new URL(location, here) : undefined
    if (target === undefined || !isOwn(baseUrl, target))
      return new InvalidResponse({
        words: `it redirects to ${presentable(target?.origin ?? "an invalid URL", key)}, where the key is not sent; check the base URL`
      })
    // 307 and 308 repeat the request. Other redirects turn it into a GET, which would create nothing.
    if (method !== "GET" && status !== 307 && status !== 308)
      return new InvalidResponse({ words: `it redirects a ${method} request with HTTP ${status}` })
    return Effect.succeed(target.pathname + target.search)
  }

  /** Reads a response that is no redirect. */
  const readAnswer = <A, E>(
    { method, isPublic }: ExchangeRequest,
    answer: HttpAnswer,
    read: (answer: Success) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | CallFault> => {
    const { status, header } = answer
    const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.length).toString("utf8")
    const value = parsed(body)
    // To a create, 303 says where its task is. A conflict or a failure may name the task that was made.
    const isMade =
      method === "POST" && (status === 303 || ((status === 409 || status >= 500) && isOfTask(value)))
    const isSuccess = isMade || (status >= 200 && status <= 299)
    const refused = isSuccess ? embeddedStatus(method, value) : status
    if (refused !== undefined)
      return throttled(refusalOf(answer, refused, value ?? body, key, now(), method), refused, method)
    if (isPublic !== true) {
      isAccepted = true
      deniedSince = undefined
    }
    return read({ value, body, header })
  }

  return <A, E>(
    asked: ExchangeRequest,
    read: (answer: Success) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | CallFault> =>
    Effect.gen(function* () {
      const { method, body, encoding = "json", maySend } = asked
      const headers = {
        [keyHeader]: Redacted.value(key),
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": contentTypes[encoding] }),
        ...(asked.key === undefined ? {} : { [idempotencyHeader]: asked.key })
      }
      const late = `no response within ${Duration.format(within)}`
      const { origin } = baseUrl
      const request = { origin, method, headers, body, most: maxBytes, tooLong, within, late, maySend }
      let path = pathUnder(baseUrl, asked.path)
      for (let redirects = 0; redirects <= maxRedirects; redirects++) {
        const answer = yield* transport.send({ ...request, path })
        const { status } = answer
        const isRedirect = status >= 300 && status <= 399 && !(status === 303 && method === "POST")
        const location = isRedirect ? answer.header("location") : undefined
        if (location === undefined) return yield* readAnswer(asked, answer, read)
        path = yield* pointedTo(method, path, status, location)
      }
      return yield* new InvalidResponse({ words: "too many redirects" })
    })
}

const contentTypes = { json: "application/json", form: "application/x-www-form-urlencoded" }

const tooLong = () => new InvalidResponse({ words: "a response of more than 16 MB" })

/** Reads JSON: also in a text, or among other words, such as after a warning, in an event or in a call. */
const parsed = (body: string): unknown => {
  const text = body.replace(/^\uFEFF/u, "")
  const value = jsonOf(text)
  if (value !== undefined || /^\s*<(!doctype|html)/iu.test(text)) return value
  return jsonOf(/\{.*\}/su.exec(text)?.[0] ?? "") ?? jsonOf(text.match(/\{.*\}/gu)?.at(-1) ?? "")
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text, (_, value: unknown) =>
      typeof value === "string" && /^\s*\{\s*"/u.test(value) ? (jsonOf(value) ?? value) : value
    )
  } catch {
    return undefined
  }
}
