/** OpenAI's speech endpoint and single models, on the service's own keys, credits and tasks. */
import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeStream } from "@effect/platform-node"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Duration, Effect, Encoding, Option, Stream, Either, RcMap } from "effect"
import type { KeyScope } from "../../contract/Account.ts"
import { InternalError, NotFound, Unprocessable } from "../../contract/Errors.ts"
import { mediaTypeOf, OpenAiSpeech, type SpeechFormat } from "../../contract/OpenAi.ts"
import { idempotencyHeader } from "../../contract/SpeechApi.ts"
import { Catalogue, type Offer, type ServedProvider, type ServedVoice } from "../catalogue/Catalogue.ts"
import { openAiModelList } from "../catalogue/OpenAiModels.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { KeyAuthentication } from "./KeyAuthentication.ts"
import { readBody } from "./RequestBody.ts"
import { RequestGate } from "./RequestGate.ts"
import { openAiPaths } from "./RoutePatterns.ts"
import { eventOf, eventStream } from "../requests/EventStream.ts"
import { TaskFeed } from "../requests/TaskFeed.ts"
import { TaskIntake } from "../requests/TaskIntake.ts"
import { TaskWaiting } from "../requests/TaskWaiting.ts"
import { originOf } from "../requests/TaskResponse.ts"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { saysDiskFull } from "../../ffmpeg/process/FfmpegErrors.ts"
import { runJob } from "../../ffmpeg/process/JobRunner.ts"
import { GivesWay } from "../../system/BackgroundPriority.ts"
import { FilesUnwritable } from "../storage/FileStore.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { diskFull } from "../tasks/TaskAdmission.ts"
import { TaskStore } from "../tasks/TaskStore.ts"

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
      const speech = yield* convert({ account, taskId, from, to, speed: tempo })
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

// The voice, model and provider that a request of OpenAI's interface selects.

/** OpenAI's voices by the gender of the voice that each selects. */
const openAiVoices = {
  female: "alloy coral fable marin nova sage shimmer".split(" "),
  male: "ash ballad cedar echo onyx verse".split(" ")
}

/** OpenAI's speech models: they select the default model of the voice's provider. */
const openAiModels = /^(?:tts-1|tts-1-hd|gpt-4o-mini-tts)(?:-\d+)*$/u

/**
 * Selects a voice by its id, its display name or OpenAI's name, and a model by its id or OpenAI's name. The model is
 * undefined if it is the provider's default one.
 */
const selectVoice = (offer: Offer, { model, voice }: Pick<OpenAiSpeech, "model" | "voice">) => {
  const all = [...offer.providers.values()]
  const owner = all.find((provider) => provider.models.some((each) => each.wire.model_id === model))
  if (owner === undefined && !openAiModels.test(model))
    return Either.left(
      new NotFound({
        code: "model_unknown",
        message: `model: unknown model "${model.slice(0, 100)}"; GET /v1/models lists the models`,
        field: "model"
      })
    )
  const name = typeof voice === "string" ? voice : voice.id
  const among = owner === undefined ? all : [owner]
  const found = offer.voices.get(name) ?? voiceNamed(among, name)
  const provider = found && offer.providers.get(found.wire.provider)
  return found === undefined || provider === undefined
    ? Either.left(
        new NotFound({
          code: "voice_unknown",
          message: `voice: unknown voice "${name.slice(0, 100)}"; GET /v1/voices lists the voices`,
          field: "voice"
        })
      )
    : Either.right({ provider, voice: found, model: owner === undefined ? undefined : model })
}

const voiceNamed = (providers: ReadonlyArray<ServedProvider>, name: string): ServedVoice | undefined => {
  const wanted = name.toLowerCase()
  const voices = providers.flatMap((provider) => provider.voices)
  const named = voices.find(({ wire }) => wire.name.toLowerCase() === wanted)
  const gender = (["female", "male"] as const).find((each) => openAiVoices[each].includes(wanted))
  if (named !== undefined || gender === undefined) return named
  // One provider, so that all of OpenAI's voices have one price and one set of rules.
  const [provider] = providers
    .filter((each) => each.voices.length > 0)
    .sort((one, other) => one.features.min_characters - other.features.min_characters)
  const alike = provider?.voices.filter(({ wire }) => wire.gender === gender) ?? []
  const choice = alike.length > 0 ? alike : (provider?.voices ?? [])
  return choice[openAiVoices[gender].indexOf(wanted) % Math.max(1, choice.length)]
}

// Converts a task's audio to OpenAI's formats. Each result is a file that is kept with the task's others.

/** Encoder options. PCM is 24 kHz, 16-bit, mono, little-endian, without a header. */
const encoders: Readonly<Record<SpeechFormat, ReadonlyArray<string>>> = {
  mp3: ["-c:a", "libmp3lame", "-b:a", "96k", "-f", "mp3"],
  opus: ["-c:a", "libopus", "-b:a", "48k", "-f", "ogg"],
  aac: ["-c:a", "aac", "-b:a", "96k", "-f", "adts"],
  flac: ["-c:a", "flac", "-f", "flac"],
  wav: ["-c:a", "pcm_s16le", "-f", "wav"],
  pcm: ["-c:a", "pcm_s16le", "-ar", "24000", "-f", "s16le"]
}

/** Builds ffmpeg's tempo filters; each takes 0.5 to 2. */
const tempo = (speed: number): ReadonlyArray<string> =>
  speed === 1
    ? []
    : [
        "-filter:a",
        speed < 0.5 || speed > 2 ? `atempo=${Math.sqrt(speed)},atempo=${Math.sqrt(speed)}` : `atempo=${speed}`
      ]

/** The audio to convert, and the result. */
interface Conversion {
  readonly account: number
  readonly taskId: string
  /** The audio's own format. */
  readonly from: "mp3" | "wav"
  readonly to: SpeechFormat
  /** Factor on the tempo, 0.25 to 4. */
  readonly speed: number
}

/** Conversions at once. Each account has one of them at a time. */
const atOnce = 2

/** Makes the conversion: it opens a task's audio in the wanted format. None if the task is deleted. */
const makeConversion = Effect.gen(function* () {
  const files = yield* TaskFiles
  const store = yield* TaskStore
  const { binary } = yield* Ffmpeg
  const all = yield* Effect.makeSemaphore(atOnce)
  const turns = yield* RcMap.make({ lookup: (_account: number) => Effect.makeSemaphore(1) })

  const convert = (ending: string, { taskId, from, to, speed }: Conversion) =>
    Effect.gen(function* () {
      const source = yield* files.local(taskId, from)
      const workshop = yield* files.workshop(taskId)
      const target = join(workshop, `${taskId}.${ending}`)
      const options = ["-map_metadata", "-1", "-fflags", "+bitexact", ...tempo(speed), "-ac", "1"]
      yield* runJob(binary, {
        purpose: `convert the audio of task ${taskId}`,
        inputs: [{ source, options: [] }],
        filters: [],
        outputs: [{ target, options: [...options, ...encoders[to]] }],
        encodes: 1
      }).pipe(
        Effect.mapError(
          ({ message, stderrTail }) =>
            new FilesUnwritable({ detail: message, full: saysDiskFull(stderrTail) })
        )
      )
      yield* store.grow(taskId, (yield* Effect.promise(() => stat(target))).size)
      yield* files.add(workshop, taskId)
    }).pipe(Effect.scoped, Effect.provideService(GivesWay, true))

  return Effect.fnUntraced(function* (wanted: Conversion) {
    const { account, taskId, from, to, speed } = wanted
    if (from === to && speed === 1) return yield* files.open(taskId, from)
    const ending = `${speed}.${to}`
    const kept = files.open(taskId, ending)
    const before = yield* kept
    if (Option.isSome(before)) return before
    const turn = yield* RcMap.get(turns, account)
    yield* Effect.gen(function* () {
      // Its owner may have deleted it, or another request have converted it meanwhile.
      const isWanted = Option.isSome(yield* files.open(taskId, from)) && Option.isNone(yield* kept)
      if (isWanted) yield* all.withPermits(1)(convert(ending, wanted))
    }).pipe(
      Effect.scoped,
      turn.withPermits(1),
      Effect.catchTag("FilesUnwritable", ({ detail, full }) =>
        Effect.zipRight(
          Effect.logWarning("cannot convert speech", detail),
          Effect.fail(full ? diskFull : notConverted)
        )
      )
    )
    return yield* kept
  })
})

const notConverted = new InternalError({ code: "internal", message: "the speech could not be converted" })
