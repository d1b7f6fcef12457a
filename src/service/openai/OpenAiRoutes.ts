/** OpenAI's speech endpoint and single models, on the service's own keys, credits and tasks. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeStream } from "@effect/platform-node"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Duration, Effect, Encoding, Option, Stream } from "effect"
import type { KeyScope } from "../../contract/Account.ts"
import { InternalError, NotFound, Unprocessable } from "../../contract/Errors.ts"
import { mediaTypeOf, OpenAiSpeech } from "../../contract/OpenAi.ts"
import { idempotencyHeader } from "../../contract/SpeechApi.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { openAiModelList } from "../catalogue/OpenAiModels.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { KeyAuthentication } from "../http/KeyAuthentication.ts"
import { readBody } from "../http/RequestBody.ts"
import { RequestGate } from "../http/RequestGate.ts"
import { openAiPaths } from "../http/RoutePatterns.ts"
import { eventOf, eventStream } from "../requests/EventStream.ts"
import { TaskFeed } from "../requests/TaskFeed.ts"
import { TaskIntake } from "../requests/TaskIntake.ts"
import { TaskWaiting } from "../requests/TaskWaiting.ts"
import { originOf } from "../requests/TaskResponse.ts"
import { makeConversion } from "./SpeechConversion.ts"
import { selectVoice } from "./OpenAiSpeech.ts"

/** How long a request waits for its speech. */
const patience = Duration.hours(1)

/** Registers the routes. */
export const openAiRoutes = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { config } = yield* ServiceOptions
    const authentication = yield* KeyAuthentication
    const gate = yield* RequestGate
    const catalogue = yield* Catalogue
    const intake = yield* TaskIntake
    const waiting = yield* TaskWaiting
    const feed = yield* TaskFeed
    const convert = yield* makeConversion

    const holder = (scope: KeyScope) => Effect.tap(authentication.holder, (found) => gate.admit(found, scope))

    const speech = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { id: account, key } = yield* holder("create")
      // Before anything is paid for: an account has a limit of responses that it does not read.
      yield* feed.place(account)
      const body = yield* readBody(request, OpenAiSpeech, config.limits?.bodyBytes ?? 256_000)
      const { provider, voice, model } = yield* selectVoice(catalogue.offer(), body)
      const speed = body.speed ?? 1
      const control = provider.features.controls.speed
      const isControl = control !== undefined && speed >= control.min && speed <= control.max
      const tempo = isControl ? 1 : speed
      const { taskId, characters } = yield* intake.take({
        account,
        key,
        voiceId: voice.wire.voice_id,
        body: {
          text: body.input,
          provider: provider.id,
          ...(model === undefined ? {} : { model_id: model }),
          ...(isControl ? { speed } : {})
        },
        origin: originOf(config.publicUrl, request.headers["host"]),
        name: request.headers[idempotencyHeader],
        tempo
      })
      // The server closes silent connections, but speech may take longer.
      const { socket } = NodeHttpServerRequest.toIncomingMessage(request)
      const { timeout: usual = 60_000 } = socket
      socket.setTimeout(Duration.toMillis(patience))
      const task = yield* Effect.flatten(waiting.end(account, taskId, patience)).pipe(
        Effect.mapError(() => deleted)
      )
      if (task.status !== "done") {
        const message = task.error?.message ?? "the speech was not ready in time; send a shorter text"
        return yield* task.error?.code === "nothing_to_say"
          ? new Unprocessable({ code: "text_empty", message: `input: ${message}`, field: "input" })
          : new InternalError({ code: "internal", message })
      }
      const from = task.format === "wav" ? ("wav" as const) : ("mp3" as const)
      const to = body.response_format ?? "mp3"
      const seconds = (task.durationMs ?? 0) / 1000
      const speech = yield* convert({ account, taskId, from, seconds, to, speed: tempo })
      if (Option.isNone(speech)) return yield* deleted
      const { size, read } = speech.value
      // From here on, it closes those that are not read, at the second time-out without progress.
      socket.setTimeout(usual / 2)
      const bytes = yield* read(0, size - 1)
      const headers = { "x-task-id": taskId }
      if (body.stream_format !== "sse")
        return HttpServerResponse.raw(bytes, {
          headers: { ...headers, "content-type": mediaTypeOf[to], "content-length": String(size) }
        })
      const sound = NodeStream.fromReadable<unknown, Uint8Array>(
        () => bytes,
        (cause) => cause
      )
      const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
      return eventStream(
        Stream.concat(
          Stream.map(sound, (bytes) =>
            eventOf({ type: "speech.audio.delta", audio: Encoding.encodeBase64(bytes) })
          ),
          Stream.make(eventOf({ type: "speech.audio.done", usage }))
        ),
        headers
      )
    })

    const model = Effect.gen(function* () {
      yield* holder("read")
      const { model: id = "" } = yield* HttpRouter.params
      const found = openAiModelList(catalogue.offer()).data.find((each) => each.id === id)
      if (found !== undefined) return HttpServerResponse.unsafeJson(found)
      return yield* new NotFound({
        code: "model_unknown",
        message: `model: unknown model "${id.slice(0, 100)}"; GET /v1/models lists the models`,
        field: "model"
      })
    })

    yield* router.post(openAiPaths.speech, speech)
    yield* router.get(openAiPaths.model, model)
  })
)

const deleted = new NotFound({ code: "task_unknown", message: "the task was deleted" })
