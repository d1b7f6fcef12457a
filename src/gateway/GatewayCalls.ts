/** The calls of the gateway to the speech service. */
import { createHash } from "node:crypto"
import { HttpApiClient } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { AnyRefusal } from "../contract/Errors.ts"
import { SpeechApi } from "../contract/SpeechApi.ts"
import type { CreateTask } from "../contract/Task.ts"
import { TaskId } from "../domain/values/Ids.ts"
import type { ProviderProfile } from "../domain/speech/ProviderProfile.ts"
import type { Utterance } from "../domain/speech/Utterance.ts"
import { mapError, type ContractError } from "./response/ErrorMapping.ts"
import type { TaskMarker } from "../domain/task/TaskMarker.ts"
import { type LostCreate, makeIdempotencyProof, type NamedCreate } from "./requests/IdempotencyProof.ts"
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

  const send = (create: NamedCreate, maySend?: MaySend): Effect.Effect<Accepted, CallFault> =>
    called(
      { method: "POST", path: create.path, body: create.body, idempotencyKey: create.name, maySend },
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
    /**
     * Creates a task, without retries: only the store and the history show whether a retry would be charged twice.
     * `mark` makes its idempotency key. `maySend` is asked right before it is sent.
     */
    submit: (
      utterance: Utterance,
      label: string,
      profile: ProviderProfile,
      mark?: TaskMarker,
      maySend?: MaySend
    ): Effect.Effect<Accepted, CallFault> => send(createOf(utterance, label, profile, mark), maySend),

    /**
     * Sends a create without a response again if the service certainly recognizes it. Otherwise sends nothing, and
     * returns undefined.
     */
    resend: (
      utterance: Utterance,
      label: string,
      profile: ProviderProfile,
      mark: TaskMarker,
      lost: LostCreate
    ): Effect.Effect<Accepted | undefined, CallFault> =>
      Effect.gen(function* () {
        const create = createOf(utterance, label, profile, mark)
        return (yield* proof.isSafe(create, lost)) ? yield* send(create) : undefined
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

/** Builds a create. Its idempotency key is made from the mark and from everything that the service compares. */
const createOf = (
  utterance: Utterance,
  label: string,
  profile: ProviderProfile,
  mark: TaskMarker | undefined
): NamedCreate => {
  const { provider, voice } = utterance.casting
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}`
  const body = JSON.stringify(payloadOf(utterance, label, profile))
  const name =
    mark === undefined
      ? undefined
      : `${mark}-${createHash("sha256").update(`${path}\n${body}`).digest("hex").slice(0, 32)}`
  return { path, body, name, provider }
}

/** Builds the body of a create, with only the fields that the provider's profile supports. */
const payloadOf = (utterance: Utterance, label: string, profile: ProviderProfile): CreateTask => {
  const { provider, model, speed, vol, pitch } = utterance.casting
  return {
    text: utterance.text,
    provider,
    voice_name: label,
    ...(model === undefined ? {} : { model_id: model }),
    ...(profile.transcript === "with_transcript" ? { with_transcript: true } : {}),
    ...(profile.transcript === "export_srt" ? { export_srt: true } : {}),
    ...(speed === undefined ? {} : { speed }),
    ...(vol === undefined ? {} : { vol }),
    ...(pitch === undefined ? {} : { pitch })
  }
}
