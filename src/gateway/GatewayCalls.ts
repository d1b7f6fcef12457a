/** The calls of the gateway to the speech service. */
import { HttpApiClient } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { AnyRefusal } from "../contract/Errors.ts"
import { SpeechApi } from "../contract/SpeechApi.ts"
import { TaskId } from "../domain/values/Ids.ts"
import { mapError, type ContractError } from "./response/ErrorMapping.ts"
import { type LostCreate, makeIdempotencyProof } from "./requests/IdempotencyProof.ts"
import type { NamedCreate } from "./requests/NamedCreate.ts"
import { contractClient } from "./requests/ContractClient.ts"
import { makeDownload } from "./requests/Download.ts"
import { type ExchangeRequest, makeExchange } from "./requests/ServiceExchange.ts"
import { InvalidResponse, type CallFault, NoAudio, Vanished } from "./GatewayErrors.ts"
import { referenceOf, taskOf, wordsIn } from "./response/ResponseNormalization.ts"
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

/** Makes the calls; loaded when a gateway is first connected. */
export const makeCalls = Effect.gen(function* () {
  const address = yield* ServiceAddress
  const { key } = address
  const clock = yield* Effect.clock
  const exchange = makeExchange(address, yield* HttpTransport, () => clock.unsafeCurrentTimeMillis())
  const { speech } = yield* HttpApiClient.makeWith(SpeechApi, {
    baseUrl: address.baseUrl.origin,
    httpClient: contractClient(exchange)
  })
  const download = yield* makeDownload

  const read = <A>(call: Effect.Effect<A, ContractError>): Effect.Effect<A, CallFault> =>
    call.pipe(Effect.mapError(mapError), Effect.retry(retryPatiently))

  /**
   * Sends a call about one task without the client derived from the contract. A run makes these calls for each of ten
   * thousand utterances, and the derived client takes several times as long. Normalization guarantees all fields of
   * the response except the id, so only the id is checked.
   */
  const called = <A extends { readonly task_id: string | undefined }, B, E>(
    asked: ExchangeRequest,
    shape: (value: unknown) => A,
    named: (answer: A & { readonly task_id: string }) => B,
    failed: (fault: CallFault) => E
  ): Effect.Effect<B, E> =>
    exchange(asked, (value) => ({ value, answer: shape(value) })).pipe(
      Effect.matchEffect({
        onFailure: (fault) => Either.left(failed(fault)),
        onSuccess: (said) => {
          if (Either.isLeft(said))
            return Either.left(failed(mapError(Either.merge(readRefusal(said.left.fields)))))
          const { value, answer } = said.right
          return isNamed(answer)
            ? Either.right(named(answer))
            : Either.left(
                failed(new InvalidResponse({ words: unnamed(presentable(wordsIn(value) ?? "", key)) }))
              )
        }
      })
    )

  const history = yield* makeTaskHistory((page, limit) =>
    read(
      speech.tasks({
        urlParams: { ...(page === undefined ? {} : { page }), ...(limit === undefined ? {} : { limit }) }
      })
    )
  )

  const proof = yield* makeIdempotencyProof(
    exchange,
    Effect.map(
      Effect.mapError(speech.health({}), mapError),
      ({ idempotency }) => idempotency?.retention_seconds
    )
  )

  /**
   * Creates a task, without retries: only the store and the history show whether a retry would be charged twice.
   * `maySend` is asked right before it is sent.
   */
  const submit = (create: NamedCreate, maySend?: MaySend): Effect.Effect<Accepted, CallFault> =>
    called(
      { method: "POST", path: create.path, body: create.body, idempotencyKey: create.key, maySend },
      referenceOf,
      ({ task_id, credits }) => {
        proof.accepted(create)
        return { task: TaskId.make(task_id), credits: creditsStated(credits) }
      },
      (fault) => fault
    )

  /** Polls a task once, without retries. */
  const look = (task: TaskId): Effect.Effect<TaskSnapshot, CallFault | Vanished> =>
    called(
      { method: "GET", path: `/v1/task/${encodeURIComponent(task)}` },
      (value) => taskOf(value, task),
      (task) => taskSnapshotOf(task, (said) => presentable(said, key)),
      (fault) => (fault._tag === "Refused" && fault.reason === "unknown" ? new Vanished({ task }) : fault)
    )

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
    resend: (create: NamedCreate, lost: LostCreate): Effect.Effect<Accepted | undefined, CallFault> =>
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
      called(
        { method: "DELETE", path: "/v1/task/delete", body: JSON.stringify({ task_id: task }) },
        () => ({ task_id: task }),
        () => undefined,
        (fault) => fault
      ).pipe(
        Effect.retry(retryPatiently),
        Effect.catchTag("Refused", (fault) => (fault.reason === "unknown" ? Effect.void : Effect.fail(fault)))
      )
    ),

    /** Succeeds if the service responds. No retries. */
    ping: speech.health({}).pipe(
      Effect.mapError((error) => mapError(error)),
      Effect.asVoid
    ),

    /** Returns the account's credits; undefined if unlimited or not reported. No retries. */
    balance: speech.credits({}).pipe(
      Effect.mapError((error) => mapError(error)),
      Effect.map(({ credits, unlimited }) => (unlimited ? undefined : (credits ?? undefined)))
    ),

    /** The read endpoints. Responses are normalized to the contract's shape. */
    reads: {
      health: read(speech.health({})),
      credits: read(speech.credits({})),
      providers: read(speech.providers({})),
      models: (provider?: string) =>
        read(speech.models({ urlParams: provider === undefined ? {} : { provider } })),
      voices: (query: {
        readonly provider?: string
        readonly search?: string
        readonly page?: number
        readonly limit?: number
      }) => read(speech.voices({ urlParams: query })),
      tasks: (query: { readonly page?: number; readonly limit?: number }) =>
        read(speech.tasks({ urlParams: query }))
    }
  }
})

const isNamed = <A extends { readonly task_id: string | undefined }>(
  answer: A
): answer is A & { readonly task_id: string } => answer.task_id !== undefined

/** Error for a response without a task id; `said` is the service's own message. */
const unnamed = (said: string): string => `no task id in the response${said === "" ? "" : `: ${said}`}`

const readRefusal = Schema.decodeUnknownEither(AnyRefusal)
