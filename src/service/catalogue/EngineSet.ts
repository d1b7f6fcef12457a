/** Opens the engines that the settings name. */
import type { HttpClient } from "@effect/platform"
import { Context, Duration, Effect, Layer, Clock, Config, Either, Option, Schema, type Scope } from "effect"
import { completeVoice } from "../../engines/EngineFields.ts"
import { makeCommandEngine } from "../../engines/program/CommandEngine.ts"
import {
  type Engine,
  EngineUnavailable,
  type EngineVoice,
  type SpeechRequest,
  SpeechFailed,
  type WordTiming
} from "../../engines/Engine.ts"
import { makeEspeakEngine } from "../../engines/local/EspeakEngine.ts"
import { makeFliteEngine } from "../../engines/local/FliteEngine.ts"
import { makeSherpaEngine } from "../../engines/neural/SherpaEngine.ts"
import { makeOpenAiEngine } from "../../engines/program/OpenAiEngine.ts"
import { neuralCache, neuralVoices } from "../../engines/voices/InstalledVoices.ts"
import { httpClient, HttpTransport } from "../../gateway/exchange/HttpTransport.ts"
import { enginesNeeded } from "./CatalogueResolver.ts"
import type { EngineSettings } from "../config/EngineConfig.ts"
import { ConfigRejected } from "../config/ServiceConfigFile.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { makeAzureSpeech } from "../../engines/cloud/AzureSpeech.ts"
import { makeGoogleSpeech } from "../../engines/cloud/GoogleSpeech.ts"
import { makeElevenLabs } from "../../engines/cloud/ElevenLabs.ts"
import { makeCartesia } from "../../engines/cloud/Cartesia.ts"
import { makeGemini } from "../../engines/cloud/Gemini.ts"
import { makeMiniMax } from "../../engines/cloud/MiniMax.ts"
import { makePolly } from "../../engines/cloud/Polly.ts"
import { Transcript } from "../../contract/Task.ts"
import { Casting } from "../../domain/speech/Casting.ts"
import { ModelId, ProviderId, type TaskId, VoiceId } from "../../domain/values/Ids.ts"
import { markerOf, type TaskMarker } from "../../domain/task/TaskMarker.ts"
import { type ControlRange, isTooShort, profileOf } from "../../domain/speech/ProviderProfile.ts"
import { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { fromSeconds, millis } from "../../domain/time/Units.ts"
import { charactersOf, makeUtterance, type Utterance } from "../../domain/speech/Utterance.ts"
import { cacheSuccess } from "../../engines/SuccessCache.ts"
import { srt } from "../../exports/text/Subtitles.ts"
import type { Fault } from "../../gateway/GatewayErrors.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import type { Fetched } from "../../gateway/requests/Download.ts"
import { composeCreate } from "../../gateway/requests/NamedCreate.ts"
import { pollPlan, pollUntilSettled } from "../../gateway/requests/Polling.ts"
import { ServiceAddress } from "../../gateway/exchange/ServiceAddress.ts"
import { readScript } from "../../script/ScriptFile.ts"

/** The engines by their keys: names in the settings, with the key variable if a provider names one. */
export class EngineSet extends Context.Tag("service/EngineSet")<EngineSet, ReadonlyMap<string, Engine>>() {
  /** Opens every engine that a provider uses. Engines of the host program are open already, and take precedence. */
  static readonly layer = Layer.scoped(
    EngineSet,
    Effect.gen(function* () {
      const { config, engines: given = new Map<string, Engine>() } = yield* ServiceOptions
      const settings = { ...builtIn, ...config.engines }
      const engines = new Map<string, Engine>()
      const http = yield* Layer.build(httpClient)
      for (const [key, { engine: name, keyVariable, concurrency }] of enginesNeeded(config)) {
        const open = given.get(name)
        if (open !== undefined) {
          engines.set(key, open)
          continue
        }
        const own = settings[name]
        if (own === undefined)
          return yield* new ConfigRejected({
            problems: [
              `engines: a provider uses the unknown engine "${name}"; define it, or use one of ${[...given.keys(), ...Object.keys(settings)].join(", ")}`
            ]
          })
        if (keyVariable !== undefined && keyless.has(own.kind))
          return yield* new ConfigRejected({
            problems: [
              `providers: keyVariable is set for engine "${name}", but engines of kind ${own.kind} have no key; remove it`
            ]
          })
        const keyed = keyVariable === undefined ? own : { ...own, keyVariable }
        engines.set(key, yield* Effect.provide(openEngine(name, keyed, concurrency), http))
      }
      return engines
    })
  )
}

/** Engines that are available without settings. */
const builtIn: Readonly<Record<string, EngineSettings>> = {
  espeak: { kind: "espeak" },
  flite: { kind: "flite" },
  neural: { kind: "sherpa" },
  elevenlabs: { kind: "elevenlabs" },
  azure: { kind: "azure" },
  google: { kind: "google" },
  polly: { kind: "polly" },
  minimax: { kind: "minimax" },
  cartesia: { kind: "cartesia" },
  gemini: { kind: "gemini" }
}

/** Kinds of engines that use no key. */
const keyless: ReadonlySet<EngineSettings["kind"]> = new Set(["espeak", "flite", "sherpa", "command"])

const openEngine = (
  name: string,
  settings: EngineSettings,
  concurrency: number
): Effect.Effect<Engine, never, HttpClient.HttpClient | Scope.Scope> => {
  switch (settings.kind) {
    case "elevenlabs":
      return makeElevenLabs({ ...settings, name })
    case "azure":
      return makeAzureSpeech({ ...settings, name })
    case "google":
      return makeGoogleSpeech({ ...settings, name })
    case "polly":
      return makePolly({ ...settings, name })
    case "minimax":
      return makeMiniMax({ ...settings, name })
    case "cartesia":
      return makeCartesia({ ...settings, name })
    case "gemini":
      return makeGemini({ ...settings, name })
    case "espeak":
      return makeEspeakEngine(settings.threads === undefined ? {} : { size: settings.threads })
    case "flite":
      return makeFliteEngine({ size: settings.threads ?? 1 })
    case "sherpa": {
      const { kind: _, voices, memory, ...rest } = settings
      return Effect.gen(function* () {
        return yield* makeSherpaEngine({
          ...rest,
          name,
          voices: yield* neuralVoices(voices),
          cache: yield* neuralCache,
          ...(memory === undefined ? {} : { memory: memory * 1_000_000 })
        })
      })
    }
    case "command": {
      const { kind: _, program, voices, timeout, ...rest } = settings
      return makeCommandEngine({
        ...rest,
        name,
        command: program,
        voices: voices.map(completeVoice),
        concurrency,
        timeout: Duration.seconds(timeout ?? 60)
      })
    }
    case "openai": {
      const { kind: _, voices = [], timeout, maxCharacters, ...rest } = settings
      return makeOpenAiEngine({
        ...rest,
        name,
        voices: voices.map(completeVoice),
        timeout: Duration.seconds(timeout ?? 120),
        ...(maxCharacters === undefined ? {} : { maxChars: maxCharacters })
      })
    }
    case "upstream": {
      const { kind: _, timeout, ...rest } = settings
      return makeUpstreamEngine({ ...rest, name, timeout: Duration.seconds(timeout ?? 600) })
    }
  }
}

// An engine that uses another service with the same HTTP interface, to chain services or to share one account.

type UpstreamOptions = Omit<Extract<EngineSettings, { readonly kind: "upstream" }>, "kind" | "timeout"> & {
  /** The engine's name in errors and settings. */
  readonly name: string
  /** Maximum duration of one task. */
  readonly timeout: Duration.Duration
}

/** How far back to search for tasks that an earlier process created. */
const lookBack = Duration.days(1)

/**
 * Makes the engine. Tasks are not paid for twice: it remembers them, finds those of an earlier process in the upstream
 * service's history, and sends each create with an idempotency key.
 */
export const makeUpstreamEngine = Effect.fnUntraced(function* (options: UpstreamOptions) {
  const { name } = options
  const provider = ProviderId.make(options.provider)
  const profile = profileOf(provider)
  const key = yield* Effect.orDie(Config.option(Config.redacted(options.keyVariable)))
  const unavailable = (detail: string) => new EngineUnavailable({ engine: name, detail })
  if (Option.isNone(key))
    return withoutKey(name, unavailable(`set ${options.keyVariable} to the key of ${options.baseUrl}`))
  const gateway = Context.get(
    yield* Layer.build(
      Layer.fresh(Gateway.Default).pipe(
        Layer.provide(
          Layer.succeed(ServiceAddress, {
            baseUrl: new URL(options.baseUrl),
            key: key.value,
            answerWithin: "30 seconds",
            audioWithin: options.timeout
          })
        ),
        Layer.provide(HttpTransport.Default)
      )
    ),
    Gateway
  )
  const begun = yield* Clock.currentTimeMillis
  const earlier = yield* cacheSuccess(gateway.history(begun - Duration.toMillis(lookBack)), Duration.infinity)

  /** The newest tasks that this process knows; undefined if they have failed. A failed task keeps its mark. */
  const known = new Map<TaskMarker, TaskId | undefined>()
  const remember = (mark: TaskMarker, task: TaskId | undefined) => {
    known.delete(mark)
    known.set(mark, task)
    const [oldest] = known.keys()
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
  }

  /** Returns the utterance's task, new or not, and its mark: the first one whose task has not failed. */
  const taskOf = (utterance: Utterance) =>
    Effect.gen(function* () {
      const history = yield* earlier
      const failed = (mark: TaskMarker) =>
        known.has(mark) ? known.get(mark) === undefined : history.find(mark)?.failed === true
      let take = 1
      while (failed(markerOf(utterance.key, take))) take++
      const mark = markerOf(utterance.key, take)
      const past = known.get(mark) ?? history.find(mark)?.task
      if (past !== undefined) return { mark, task: past }
      const before = yield* Clock.currentTimeMillis
      const task = yield* gateway.submit(composeCreate(utterance, mark, profile, mark)).pipe(
        Effect.map((accepted) => accepted.task),
        Effect.catchTag("InvalidResponse", (fault) =>
          // The response was lost: only the history shows whether the task exists.
          Effect.flatMap(gateway.history(before), (since) => {
            const found = since.find(mark)
            return found === undefined ? Effect.fail(fault) : Effect.succeed(found.task)
          })
        )
      )
      remember(mark, task)
      return { mark, task }
    })

  const spoken = (utterance: Utterance) =>
    Effect.gen(function* () {
      const { mark, task } = yield* taskOf(utterance)
      const now = yield* Clock.currentTimeMillis
      const plan = {
        ...pollPlan(undefined, utterance.characters),
        deadline: Duration.toMillis(options.timeout)
      }
      return yield* pollUntilSettled(gateway.look(task), task, plan, now).pipe(
        Effect.flatMap(({ done }) => gateway.fetch(done, utterance.characters)),
        Effect.tapError(({ _tag }) =>
          Effect.sync(() => {
            if (_tag === "FailedAtService" || _tag === "Vanished") remember(mark, undefined)
          })
        )
      )
    })

  const speak: Engine["speak"] = Effect.fn("EngineSet.speak")(function* (request) {
    const utterance = yield* utteranceOf(options, request)
    const fetched = yield* Effect.mapError(spoken(utterance), (fault) => failureOf(name, fault))
    return { _tag: "Encoded", bytes: fetched.audio, ...timingOf(fetched.transcript) } as const
  })

  const voices = Effect.gen(function* () {
    const found = new Map<string, EngineVoice>()
    for (let page = 1; page <= maxPages; page++) {
      const listed = yield* gateway.reads.voices({ provider, page, limit: 100 })
      const before = found.size
      for (const voice of listed.voices) {
        if (voice.provider !== "" && voice.provider !== provider) continue
        const { gender } = voice
        found.set(voice.voice_id, {
          id: voice.voice_id,
          name: voice.name,
          languages: voice.languages,
          ...(gender === "female" || gender === "male" ? { gender } : {})
        })
      }
      if (!listed.has_more || found.size === before) break
    }
    return [...found.values()]
  }).pipe(Effect.mapError((fault) => unavailable(fault.message)))

  return {
    name,
    controls: [
      ...(profile.controls.speed === undefined ? [] : (["rate"] as const)),
      ...(profile.controls.vol === undefined ? [] : (["volume"] as const)),
      ...(profile.controls.pitch === undefined ? [] : (["pitch"] as const))
    ],
    voices,
    speak,
    check: Effect.asVoid(Effect.mapError(gateway.reads.credits, (fault) => unavailable(fault.message)))
  } satisfies Engine
})

/** Maximum tasks to remember. */
const maxKnown = 10_000

/** Maximum pages of voices to read. */
const maxPages = 100

const withoutKey = (name: string, fault: EngineUnavailable): Engine => ({
  name,
  controls: ["rate", "volume", "pitch"],
  voices: fault,
  speak: () => fault,
  check: fault
})

/**
 * Builds the utterance to send. A text below the upstream minimum is sent as an SRT of one entry, if the upstream
 * service accepts SRT.
 */
const utteranceOf = (options: UpstreamOptions, request: SpeechRequest) => {
  const provider = ProviderId.make(options.provider)
  const profile = profileOf(provider)
  const { speed, vol, pitch } = profile.controls
  const said = request.text.trim()
  const failed = (reason: "nothing-to-say" | "too-long", detail: string) =>
    new SpeechFailed({ engine: options.name, reason, detail })
  if (said === "") return failed("nothing-to-say", "the text is empty; expected words to speak")
  const casting = Casting.make({
    provider,
    voice: VoiceId.make(request.voice),
    ...(options.model === undefined ? {} : { model: ModelId.make(options.model) }),
    ...(speed === undefined || request.rate === 1 ? {} : { speed: within(speed, request.rate) }),
    ...(vol === undefined || request.volume === 1 ? {} : { vol: within(vol, request.volume) }),
    ...(pitch === undefined || request.pitch === 0 ? {} : { pitch: within(pitch, request.pitch) })
  })
  const short = isTooShort("text", charactersOf(request.text), profile)
  if (short && !profile.srtInput)
    return failed(
      "nothing-to-say",
      `the upstream service requires at least ${profile.minChars} characters; send a longer text`
    )
  const entry = SubtitleEntry.make({
    index: 1,
    start: millis(0),
    end: millis(Math.max(1_000, said.length * 80)),
    text: said
  })
  return Effect.succeed(
    short
      ? makeUtterance(casting, "srt", srt([entry]), [said])
      : makeUtterance(casting, "text", request.text, [said])
  )
}

const within = (range: ControlRange, value: number): number => Math.min(range.max, Math.max(range.min, value))

const failureOf = (engine: string, fault: Fault): EngineUnavailable | SpeechFailed => {
  const detail = fault.message
  const isLasting = fault._tag === "FailedAtService" && fault.lasting
  const reason =
    fault._tag === "Refused" ? refusals[fault.reason] : isLasting ? "refused" : reasons[fault._tag]
  return reason === undefined
    ? new EngineUnavailable({ engine, detail })
    : new SpeechFailed({ engine, reason, detail })
}

const refusals = {
  // Problems of the operator's account: every other request would fail, too.
  key: undefined,
  credits: undefined,
  "too-long": "too-long",
  unknown: "unknown-voice",
  rules: "refused"
} as const

const reasons = {
  SlowDown: "busy",
  Unreachable: "busy",
  InvalidResponse: "busy",
  UnreadableCreate: "busy",
  Unusable: "busy",
  Vanished: "busy",
  NeverSettled: "timeout",
  FailedAtService: "crashed",
  NoAudio: "bad-output"
} as const

/** Parses the timings that came with the audio; returns none if they cannot be parsed. */
const timingOf = (transcript: Fetched["transcript"]): WordTiming => {
  if (transcript === undefined) return { words: [], sentences: [] }
  if (transcript.format === "json")
    return Option.match(decodeTranscript(transcript.text), {
      onNone: () => ({ words: [], sentences: [] }),
      onSome: ({ words, sentences }) => ({ words: words.map(mark), sentences: sentences.map(mark) })
    })
  const script = readScript(new TextEncoder().encode(transcript.text), "transcript.srt")
  return {
    words: [],
    sentences:
      Either.isRight(script) && script.right._tag === "Subtitle"
        ? script.right.cues.map(({ text, start, end }) => ({ text, start, end }))
        : []
  }
}

const decodeTranscript = Schema.decodeOption(Schema.parseJson(Transcript))

const mark = (each: { readonly text: string; readonly start: number; readonly end: number }) => ({
  text: each.text,
  start: fromSeconds(each.start),
  end: fromSeconds(Math.max(each.start, each.end))
})
