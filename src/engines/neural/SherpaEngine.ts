/** The engine of neural voices on this machine (Piper, Kokoro, Kitten, Matcha, Supertonic), with sherpa-onnx. */
import { availableParallelism } from "node:os"
import { Duration, Effect, Either, Data, Schema } from "effect"
import { EngineUnavailable, SpeechFailed, type Engine, type EngineVoice } from "../Engine.ts"
import { programEnvironment } from "../program/CommandEngine.ts"
import { cacheSuccess } from "../SuccessCache.ts"
import { normalizeText } from "../text/TextNormalization.ts"
import { unsupportedLetters } from "../text/UnsupportedScript.ts"
import { espeakDataFolder } from "./EspeakData.ts"
import { checkModel, type CheckedModel } from "./ModelFolder.ts"
import { ModelUnusable } from "./ModelFault.ts"
import type { ModelSpeaker } from "./ModelSpeakers.ts"
import {
  type OpenRequest,
  HostResponse,
  type SpeakRequest,
  type HostRequest,
  type ModelConfig
} from "./SherpaProtocol.ts"
import { sherpaAdvice, sherpaPackages } from "./SherpaPackage.ts"
import { fromSeconds, SampleRate } from "../../domain/time/Units.ts"
import { type EngineHost, makeEnginePool } from "../local/EnginePool.ts"
import { engineSentences, type Part } from "../local/EngineSentences.ts"
import { inertText } from "../local/EspeakText.ts"
import { speakSentences, type SpokenPart } from "../local/SentenceSpeech.ts"
import type { Token } from "../text/Token.ts"
import { spawn, type ChildProcess } from "node:child_process"
import { giveWay, GivesWay } from "../../system/BackgroundPriority.ts"
import { builtProgram } from "../../system/BuiltProgram.ts"

/** A voice to offer. */
export interface NeuralVoice {
  /** The voice's id; a model with several speakers offers `<id>.<speaker>`. */
  readonly id: string
  /** Display name. */
  readonly name: string
  /** Its folder, or the `.onnx` file of a Piper voice. */
  readonly path: string
  /** BCP 47, for models whose files do not say it. */
  readonly languages?: ReadonlyArray<string>
}

export interface SherpaOptions extends Partial<PoolLimits> {
  /** The engine's name in errors and settings. */
  readonly name: string
  readonly voices: ReadonlyArray<NeuralVoice>
  /** A folder for files that can be made again: eSpeak NG's data, and converted Piper voices. */
  readonly cache: string
  /** The builds of sherpa-onnx to use; default: those installed. */
  readonly packages?: OpenRequest["packages"]
  /** Threads of each process; default 1. */
  readonly threads?: number
  /** Whether equal texts give equal samples, at the cost of some liveliness; default true. */
  readonly steady?: boolean
  /** Maximum length of one request's speech, in seconds; default one hour. */
  readonly maxSeconds?: number
}

/** Limits of the speaking rate. Beyond them, some models give silence. */
const slowest = 0.5
const fastest = 2
/** Processes take about 350 MB each with a voice of medium size. */
const maxByDefault = 4
/** ONNX Runtime keeps buffers for every length of text it has seen, so a process grows slowly. */
const defaultMemory = 1_500_000_000

/** The default number of sentences spoken at once. */
export const usualProcesses = (): number => Math.max(1, Math.min(maxByDefault, availableParallelism() - 1))

interface Offered {
  readonly voice: EngineVoice
  readonly speaker: ModelSpeaker
  readonly model: CheckedModel
  readonly path: string
}

/** Makes the engine. Its processes end with the scope. Models are checked at the first use, loaded when they speak. */
export const makeSherpaEngine = Effect.fnUntraced(function* (options: SherpaOptions) {
  const { name: engine, threads = 1, maxSeconds = 3_600, packages = sherpaPackages() } = options
  const environment = yield* programEnvironment
  const ask = yield* makeSherpaPool(engine, {
    ...options,
    processes: options.processes ?? usualProcesses(),
    memory: options.memory ?? defaultMemory
  })
  const unavailable = (detail: string) => new EngineUnavailable({ engine, detail })

  const context = {
    cache: options.cache,
    steady: options.steady ?? true,
    espeakData: () => espeakDataFolder(options.cache)
  }
  const offered = yield* cacheSuccess(
    Effect.gen(function* () {
      if (options.voices.length === 0)
        return yield* unavailable("no neural voice is installed; add one with dubwright voices add")
      const checked = yield* Effect.forEach(options.voices, (voice) =>
        Effect.either(
          Effect.map(
            Effect.tryPromise({
              try: () => checkModel(voice.path, context),
              catch: (cause) =>
                cause instanceof ModelUnusable
                  ? cause
                  : new ModelUnusable({ path: voice.path, detail: String(cause) })
            }),
            (model) => offeredVoices(voice, model)
          )
        )
      )
      const faults = checked.flatMap((one) => (Either.isLeft(one) ? [one.left.message] : []))
      if (faults.length === checked.length) return yield* unavailable(faults.join("; "))
      if (faults.length > 0)
        yield* Effect.logWarning("some neural voices cannot be used").pipe(
          Effect.annotateLogs({ engine, reason: faults.join("; ") })
        )
      return checked.flatMap((one) => (Either.isRight(one) ? one.right : []))
    }),
    Duration.infinity
  )

  const speak: Engine["speak"] = Effect.fn("SherpaEngine.speak")(function* (request) {
    const all = yield* offered
    const found = all.find(({ voice }) => voice.id === request.voice)
    if (found === undefined) {
      const detail = `no voice "${request.voice}"; expected one of ${listed(all.map(({ voice }) => voice.id))}`
      return yield* new SpeechFailed({ engine, reason: "unknown-voice", detail })
    }
    const { voice, speaker, model, path } = found
    const language = voice.languages[0] ?? request.language ?? "en"
    const unread = unsupportedLetters(request.text, language)
    if (unread !== undefined)
      return yield* new SpeechFailed({ engine, reason: "nothing-to-say", detail: unread })
    const pooled: PooledModel = { key: path, engine, config: model.config, threads, environment, packages }
    const rate = Math.min(fastest, Math.max(slowest, request.rate))
    const tokens = normalizeText(request.text, language)
    const speech = yield* speakSentences(tokens, engineSentences(tokens, maxPart), {
      engine,
      speakPart: (part) => {
        const text = textOf(part, tokens)
        if (!/[\p{L}\p{N}\p{S}]/u.test(text)) return Effect.succeed(silentPart)
        return Effect.map(
          ask(pooled, {
            _tag: "Speak",
            text,
            sid: speaker.sid,
            speed: rate,
            language: speaker.spokenAs
          }),
          // The whole part is one span: models report no times of words.
          ({ rate: ownRate, samples }): SpokenPart => ({
            rate: ownRate,
            samples,
            spans: [samples.length === 0 ? null : { start: 0, end: (samples.length * 1000) / ownRate }]
          })
        )
      },
      pauseAfter: (part) => pauses[part.ends] / rate,
      volume: 1,
      longest: fromSeconds(maxSeconds)
    })
    return { ...speech, words: [] }
  })

  const installed = Effect.suspend(() =>
    packages.length > 0 ? Effect.void : Effect.fail(unavailable(sherpaAdvice))
  )
  return {
    name: engine,
    controls: ["rate"],
    voices: Effect.map(offered, (all) => all.map(({ voice }) => voice)),
    speak,
    check: Effect.zipRight(installed, Effect.asVoid(offered)),
    checkWithin: 60
  } satisfies Engine
})

/** Returns the voices of a checked model. */
export const offeredVoices = (voice: NeuralVoice, model: CheckedModel): ReadonlyArray<Offered> =>
  model.speakers.map((speaker) => ({
    voice: {
      id: speaker.suffix === "" ? voice.id : `${voice.id}.${speaker.suffix}`,
      name: speaker.name === "" ? voice.name : `${voice.name}, ${speaker.name}`,
      languages: speaker.language === undefined ? (voice.languages ?? []) : [speaker.language],
      ...(speaker.gender === undefined ? {} : { gender: speaker.gender })
    },
    speaker,
    model,
    path: voice.path
  }))

/** Lists the first names: a model may have a thousand speakers. */
const listed = (names: ReadonlyArray<string>): string =>
  names.length > 8 ? `${names.slice(0, 8).join(", ")} and ${names.length - 8} more` : names.join(", ")

/** Maximum bytes of one call. Memory grows with its length: 100,000 characters without a full stop take 3.6 GB. */
const maxPart = 400
/** Pauses between parts in ms at rate 1. Models leave from none to 0.8 s at a sentence's end, which is trimmed. */
const pauses = { sentence: 300, clause: 150, word: 0 } as const

/** Speech of a part that the voice cannot read. */
const silentPart: SpokenPart = { rate: SampleRate.make(24_000), samples: new Int16Array(), spans: [null] }

/**
 * Returns a part as text, without spaces in scripts that have none, and without characters that eSpeak NG would
 * interpret.
 */
const textOf = (part: Part, tokens: ReadonlyArray<Token>): string => {
  const words = part.pieces.map(({ text }, index) => {
    const token = part.tokens[index] ?? 0
    const isNew = token !== part.tokens[index - 1]
    return index === 0 || (isNew && tokens[token]?.gap === "") ? text : ` ${text}`
  })
  return inertText(words.join("")).replace(/\s+/gu, " ").trim()
}

// The processes of a neural engine. Each holds one model and speaks one sentence at a time, with one thread. Two
// threads need a quarter more processor time for the same speech. Processes start on demand. A process that dies,
// hangs, is interrupted or grows too large is killed, and the next sentence gets a new one.

/** Limits of a pool. */
interface PoolLimits {
  /** Maximum sentences spoken at once. */
  readonly processes: number
  /** Resident memory in bytes above which a process is replaced. */
  readonly memory: number
  /** Maximum time for one sentence; default 5 minutes. */
  readonly deadline?: Duration.DurationInput
  /** How long a process may be idle before it is ended; default 2 minutes. */
  readonly idle?: Duration.DurationInput
}

/** A model and how to start its processes. */
interface PooledModel extends ProcessSettings {
  /** Identifies the model. */
  readonly key: string
}

/** Maximum number of processes to keep, so that alternating voices are not loaded again for each sentence. */
const maxResident = 4

/** Makes a pool. Its processes end with the scope. */
const makeSherpaPool = (engine: string, limits: PoolLimits) =>
  Effect.map(
    makeEnginePool({
      engine,
      size: limits.processes,
      resident: Math.max(maxResident, limits.processes),
      deadline: limits.deadline ?? "5 minutes",
      idle: limits.idle ?? "2 minutes",
      keyOf: ({ key }: PooledModel) => key,
      open: openProcess,
      isSpent: (answer) => answer._tag === "Said" && answer.memory > limits.memory
    }),
    (ask) => (model: PooledModel, request: SpeakRequest) =>
      Effect.flatMap(ask(model, request), (answer) => {
        if (answer._tag === "Said") return Effect.succeed(answer)
        const detail = answer._tag === "Declined" ? answer.detail : "an unexpected response"
        return new SpeechFailed({ engine, reason: "bad-output", detail })
      })
  )

/** The process ended or sent an invalid response. Its output is never included, because it may hold the text. */
class HostFailed extends Data.TaggedError("HostFailed")<{ readonly detail: string }> {}

type Answer = (typeof HostResponse.Type)["response"]

/** A process with a loaded model. */
type SherpaProcess = EngineHost<SpeakRequest, Answer>

/** How to start a process. */
interface ProcessSettings {
  /** The engine's name, for errors. */
  readonly engine: string
  readonly config: ModelConfig
  readonly threads: number
  /** The environment of the process, without keys and other secrets. */
  readonly environment: Readonly<Record<string, string>>
  readonly packages: OpenRequest["packages"]
}

/** Starts a process and loads the model. If interrupted, kills the process. */
const openProcess = (settings: ProcessSettings): Effect.Effect<SherpaProcess, EngineUnavailable> =>
  Effect.flatMap(GivesWay, (givesWay) => {
    const unable = (detail: string) => new EngineUnavailable({ engine: settings.engine, detail })
    const program = builtProgram("sherpa-host.mjs")
    if (program === undefined)
      return Effect.fail(unable("its program sherpa-host.mjs is missing; run npm run build"))
    const { packages } = settings
    if (packages.length === 0) return Effect.fail(unable(sherpaAdvice))
    const host = new Host(program, settings.environment, givesWay)
    return host.send({ _tag: "Open", packages, config: settings.config, threads: settings.threads }).pipe(
      Effect.timeoutFail({
        duration: loadsWithin,
        onTimeout: () => new HostFailed({ detail: `did not load the model within ${loadsWithin}` })
      }),
      Effect.mapError(({ detail }) =>
        unable(`the model cannot be loaded: the process ${detail}; check the voice's files`)
      ),
      Effect.filterOrFail(
        (answer) => answer._tag === "Opened",
        (answer) =>
          unable(
            answer._tag === "Declined"
              ? `the model cannot be loaded: ${answer.detail}`
              : "the file sherpa-host.mjs is from another version of dubwright; install dubwright again (in a clone: npm run build)"
          )
      ),
      Effect.as<SherpaProcess>({
        ask: (request) =>
          Effect.mapError(host.send(request), ({ detail }) => {
            const words = `the process of the voice ${detail}`
            return new SpeechFailed({ engine: settings.engine, reason: "crashed", detail: words })
          }),
        isAlive: () => host.ended === undefined,
        close: host.close
      }),
      Effect.onError(() => host.close)
    )
  })

/** Large models take 15 s on a slow disk. */
const loadsWithin = "3 minutes"

/** A process and its pending request. */
class Host {
  private readonly child: ChildProcess
  private readonly pending = new Map<number, (result: Either.Either<Answer, HostFailed>) => void>()
  private count = 0
  ended: HostFailed | undefined
  private readonly exited: Promise<void>

  constructor(program: string, environment: Readonly<Record<string, string>>, givesWay: boolean) {
    this.child = spawn(process.execPath, [program], {
      env: environment,
      // Its output would contain the text to speak.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      windowsHide: true,
      // An interrupt from the terminal is for the main process, which then ends this one.
      detached: process.platform !== "win32"
    })
    if (givesWay && this.child.pid !== undefined) giveWay(this.child.pid)
    this.child.on("message", (message) => this.settle(message))
    this.exited = new Promise((resolve) => {
      this.child.once("error", (cause) => {
        this.endWith(`could not start: ${cause.message}`)
        if (this.child.pid === undefined) resolve()
      })
      this.child.once("exit", (code, signal) => {
        this.endWith(code === null ? `ended with ${signal ?? "a signal"}` : `ended with code ${code}`)
        resolve()
      })
    })
  }

  readonly send = (request: HostRequest["request"]): Effect.Effect<Answer, HostFailed> =>
    Effect.async((resume) => {
      if (this.ended !== undefined) return resume(Effect.fail(this.ended))
      const id = ++this.count
      this.pending.set(id, resume)
      // It could not start, and its error follows.
      if (this.child.pid === undefined) return
      const message: HostRequest = { id, request }
      this.child.send(message, (cause) => {
        if (cause !== null) this.endWith("stopped listening")
      })
    })

  readonly close: Effect.Effect<void> = Effect.promise(() => {
    this.endWith("was closed")
    this.child.kill("SIGKILL")
    return this.exited
  })

  private settle(message: unknown): void {
    const decoded = decodeResponse(message)
    if (Either.isLeft(decoded)) return this.endWith("sent an invalid response")
    const { id, response } = decoded.right
    this.pending.get(id)?.(Either.right(response))
    this.pending.delete(id)
  }

  private endWith(detail: string): void {
    this.ended ??= new HostFailed({ detail })
    for (const settle of this.pending.values()) settle(Either.left(this.ended))
    this.pending.clear()
  }
}

const decodeResponse = Schema.decodeUnknownEither(HostResponse)
