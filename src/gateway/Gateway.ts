/** The pipeline's one door to the service. */
import { HttpApiClient } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { AnyRefusal } from "../contract/Errors.ts"
import { SpeechApi } from "../contract/SpeechApi.ts"
import type { CreateTask } from "../contract/Task.ts"
import { TaskId } from "../domain/values/Ids.ts"
import type { ProviderProfile } from "../domain/speech/ProviderProfile.ts"
import type { Utterance } from "../domain/speech/Utterance.ts"
import { mapError, type ContractError } from "./response/ErrorMapping.ts"
import { contractClient } from "./requests/ContractClient.ts"
import { makeDownload } from "./requests/Download.ts"
import { type ExchangeRequest, makeExchange } from "./requests/ServiceExchange.ts"
import { InvalidResponse, type CallFault, NoAudio, Vanished } from "./GatewayErrors.ts"
import { referenceOf, taskOf, wordsIn } from "./response/ResponseNormalization.ts"
import { makeTaskHistory } from "./requests/TaskHistory.ts"
import { retryPatiently } from "./pacing/RetrySchedules.ts"
import { presentable, ServiceAddress } from "./transport/ServiceAddress.ts"
import { type DoneTask, creditsStated, type TaskSnapshot, taskSnapshotOf } from "./response/TaskSnapshot.ts"
import { HttpTransport } from "./transport/HttpTransport.ts"

/** A task that the service took. */
export interface Accepted {
  readonly task: TaskId
  /** What it takes, where the service says so. */
  readonly credits: number | undefined
}

/** Submits, looks, fetches, searches, deletes and reads; nothing is written anywhere else. */
export class Gateway extends Effect.Service<Gateway>()("gateway/Gateway", {
  effect: Effect.gen(function* () {
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
     * A call about one task by hand: what a run does for each of ten thousand utterances is done this way, since the
     * derived client takes several times as long about it. Of what is made of an answer the id alone can be wrong.
     */
    const called = <A extends { readonly task_id: string | undefined }, B, E>(
      asked: ExchangeRequest,
      shape: (value: unknown) => A,
      named: (answer: A & { readonly task_id: string }) => B,
      failed: (fault: CallFault) => E
    ): Effect.Effect<B, E> =>
      Effect.async((told) =>
        exchange(
          asked,
          (value) => ({ value, answer: shape(value) }),
          (how) => {
            if (Either.isLeft(how)) return told(Either.left(failed(how.left)))
            const said = how.right
            if (Either.isLeft(said))
              return told(Either.left(failed(mapError(Either.merge(readRefusal(said.left.fields))))))
            const { value, answer } = said.right
            told(
              isNamed(answer)
                ? Either.right(named(answer))
                : Either.left(
                    failed(new InvalidResponse({ words: unnamed(presentable(wordsIn(value) ?? "", key)) }))
                  )
            )
          }
        )
      )

    const history = yield* makeTaskHistory((page, limit) =>
      read(
        speech.tasks({
          urlParams: { ...(page === undefined ? {} : { page }), ...(limit === undefined ? {} : { limit }) }
        })
      )
    )

    /** One look at a task; not tried again by itself. */
    const look = (task: TaskId): Effect.Effect<TaskSnapshot, CallFault | Vanished> =>
      called(
        { method: "GET", path: `/v1/task/${encodeURIComponent(task)}` },
        (value) => taskOf(value, task),
        taskSnapshotOf,
        (fault) => (fault._tag === "Refused" && fault.reason === "unknown" ? new Vanished({ task }) : fault)
      )

    /** A done task's fresh addresses, for a fetch whose address did not serve. */
    const again = (task: TaskId): Effect.Effect<DoneTask, CallFault | Vanished | NoAudio> =>
      look(task).pipe(
        Effect.flatMap((sight) =>
          sight._tag === "Done"
            ? Effect.succeed(sight)
            : new NoAudio({ reason: "stale", words: "the task no longer names its audio" })
        )
      )

    return {
      /**
       * Creates a task, once: a create is not tried again here, since only the store and the history tell whether that
       * would be paid for twice.
       */
      submit: (
        utterance: Utterance,
        label: string,
        profile: ProviderProfile
      ): Effect.Effect<Accepted, CallFault> =>
        called(
          {
            method: "POST",
            path: `/v1/text-to-speech/${encodeURIComponent(utterance.casting.voice)}`,
            body: JSON.stringify(payloadOf(utterance, label, profile))
          },
          referenceOf,
          ({ task_id, credits }) => ({ task: TaskId.make(task_id), credits: creditsStated(credits) }),
          (fault) => fault
        ),

      look,

      /**
       * A done task's audio and transcript. A stale address, a cut body or a page instead of audio is asked for afresh.
       */
      fetch: (
        done: DoneTask,
        characters: number,
        stalled: (words: string) => Effect.Effect<void> = () => Effect.void
      ) => download(done, characters, again(done.task), stalled),

      /** What the history says of marks. */
      history,

      /** Deletes a task; one that is gone already counts as deleted. */
      remove: Effect.fn("Gateway.remove")((task: TaskId) =>
        called(
          { method: "DELETE", path: "/v1/task/delete", body: JSON.stringify({ task_id: task }) },
          () => ({ task_id: task }),
          () => undefined,
          (fault) => fault
        ).pipe(
          Effect.retry(retryPatiently),
          Effect.catchTag("Refused", (fault) =>
            fault.reason === "unknown" ? Effect.void : Effect.fail(fault)
          )
        )
      ),

      /** Whether the service answers at all; not tried again. */
      ping: speech.health({}).pipe(
        Effect.mapError((error) => mapError(error)),
        Effect.asVoid
      ),

      /** The account's credits, where the service tells a number; not tried again. */
      balance: speech.credits({}).pipe(
        Effect.mapError((error) => mapError(error)),
        Effect.map(({ credits, unlimited }) => (unlimited ? undefined : (credits ?? undefined)))
      ),

      /** The read endpoints, as the service answers them, brought into the contract's shape. */
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
}) {}

const isNamed = <A extends { readonly task_id: string | undefined }>(
  answer: A
): answer is A & { readonly task_id: string } => answer.task_id !== undefined

/** Of an answer that is to name a task, and what it says instead. */
const unnamed = (said: string): string => `its answer names no task${said === "" ? "" : `: ${said}`}`

const readRefusal = Schema.decodeUnknownEither(AnyRefusal)

/** The body of a create: only what the provider's profile knows of. */
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
