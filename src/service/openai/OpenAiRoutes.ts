/** OpenAI's speech endpoint and single models, on the service's own keys, credits and tasks. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Duration, Effect, Encoding, Stream } from "effect"
import type { KeyScope } from "../../contract/Account.ts"
import { InternalError, NotFound, Unprocessable } from "../../contract/Errors.ts"
import { idempotencyHeader } from "../../contract/SpeechApi.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { openAiModelList } from "../catalogue/OpenAiModels.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { KeyAuthentication } from "../http/KeyAuthentication.ts"
import { readBody } from "../http/RequestBody.ts"
import { RequestGate } from "../http/RequestGate.ts"
import { openAiPaths } from "../http/RoutePatterns.ts"
import { eventOf, eventStream } from "../requests/EventStream.ts"
import { TaskIntake } from "../requests/TaskIntake.ts"
import { TaskWaiting } from "../requests/TaskWaiting.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { originOf } from "../requests/TaskResponse.ts"
import { convertSpeech, mediaTypeOf } from "./SpeechConversion.ts"
import { selectVoice, OpenAiSpeech } from "./OpenAiSpeech.ts"

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
    const files = yield* TaskFiles
    const { binary } = yield* Ffmpeg

    const holder = (scope: KeyScope) => Effect.tap(authentication.holder, (found) => gate.admit(found, scope))

    const speech = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { id: account, key } = yield* holder("create")
      const body = yield* readBody(request, OpenAiSpeech, config.limits?.bodyBytes ?? 256_000)
      const { provider, voice, model } = yield* selectVoice(catalogue.offer(), body)
      const speed = body.speed ?? 1
      const control = provider.features.controls.speed
      const isControl = control !== undefined && speed >= control.min && speed <= control.max
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
        name: request.headers[idempotencyHeader]
      })
      // The server closes silent connections, but speech may take longer.
      NodeHttpServerRequest.toIncomingMessage(request).socket.setTimeout(Duration.toMillis(patience))
      const task = yield* Effect.flatten(waiting.end(account, taskId, patience)).pipe(
        Effect.mapError(() => new NotFound({ code: "task_unknown", message: "the task was deleted" }))
      )
      if (task.status !== "done") {
        const message = task.error?.message ?? "the speech was not ready in time; send a shorter text"
        return yield* task.error?.code === "nothing_to_say"
          ? new Unprocessable({ code: "text_empty", message: `input: ${message}`, field: "input" })
          : new InternalError({ code: "internal", message })
      }
      const from = task.format === "wav" ? ("wav" as const) : ("mp3" as const)
      const to = body.response_format ?? "mp3"
      const sound = Stream.unwrapScoped(
        Effect.map(files.local(taskId, from), (path) =>
          convertSpeech(binary, { path, from, to, speed: isControl ? 1 : speed })
        )
      )
      const headers = { "x-task-id": taskId }
      if (body.stream_format !== "sse") {
        return HttpServerResponse.stream(sound, { contentType: mediaTypeOf[to], headers })
      }
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
