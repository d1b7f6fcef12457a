/** Opens the engines that the settings name. */
import { Context, Duration, Effect, Layer } from "effect"
import { makeCommandEngine } from "../../engines/program/CommandEngine.ts"
import type { Engine } from "../../engines/Engine.ts"
import { makeEspeakEngine } from "../../engines/local/EspeakEngine.ts"
import { makeFliteEngine } from "../../engines/local/FliteEngine.ts"
import { makeSherpaEngine } from "../../engines/neural/SherpaEngine.ts"
import { makeOpenAiEngine } from "../../engines/program/OpenAiEngine.ts"
import { neuralCache, neuralVoices } from "../../engines/voices/InstalledVoices.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { enginesNeeded } from "./CatalogueResolver.ts"
import type { EngineSettings } from "../config/EngineConfig.ts"
import { ConfigRejected } from "../config/ServiceConfigFile.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { makeUpstreamEngine } from "./UpstreamEngine.ts"
import { makeAzureSpeech } from "../../engines/cloud/AzureSpeech.ts"
import { makeGoogleSpeech } from "../../engines/cloud/GoogleSpeech.ts"
import { makeElevenLabs } from "../../engines/cloud/ElevenLabs.ts"
import { makeCartesia } from "../../engines/cloud/Cartesia.ts"
import { makeGemini } from "../../engines/cloud/Gemini.ts"
import { makeMiniMax } from "../../engines/cloud/MiniMax.ts"
import { makePolly } from "../../engines/cloud/Polly.ts"
import type { CloudSettings } from "../../engines/cloud/shared/CloudSettings.ts"
import type { CloudEngineSettings } from "../config/CloudEngineConfig.ts"

/** Every cloud engine with its defaults, by the name that providers use without an `engines` section. */
const cloudKinds: Readonly<Record<CloudEngineSettings["kind"], CloudEngineSettings>> = {
  elevenlabs: { kind: "elevenlabs" },
  azure: { kind: "azure" },
  google: { kind: "google" },
  polly: { kind: "polly" },
  minimax: { kind: "minimax" },
  cartesia: { kind: "cartesia" },
  gemini: { kind: "gemini" }
}

/** Opens a cloud engine. It reads its key from the environment now. */
const openCloudEngine = (name: string, settings: CloudEngineSettings) =>
  Effect.flatMap(Layer.build(httpClient), (http) => Effect.provide(made(name, settings), http))

const made = (name: string, settings: CloudEngineSettings) => {
  const { voices, ...rest } = settings
  const shared: CloudSettings = {
    name,
    ...(voices === undefined ? {} : { voices: voices.map(completeVoice) })
  }
  switch (rest.kind) {
    case "elevenlabs":
      return makeElevenLabs({ ...rest, ...shared })
    case "azure":
      return makeAzureSpeech({ ...rest, ...shared })
    case "google":
      return makeGoogleSpeech({ ...rest, ...shared })
    case "polly":
      return makePolly({ ...rest, ...shared })
    case "minimax":
      return makeMiniMax({ ...rest, ...shared })
    case "cartesia":
      return makeCartesia({ ...rest, ...shared })
    case "gemini":
      return makeGemini({ ...rest, ...shared })
  }
}

/** Fills in the name and languages of a voice in the settings. */
const completeVoice = <V extends { readonly id: string }>(
  voice: V & { readonly name?: string; readonly languages?: ReadonlyArray<string> }
) => ({ ...voice, name: voice.name ?? voice.id, languages: voice.languages ?? [] })

/** The engines by their keys: names in the settings, with the key variable if a provider names one. */
export class EngineSet extends Context.Tag("service/EngineSet")<EngineSet, ReadonlyMap<string, Engine>>() {
  /** Opens every engine that a provider uses. Engines of the host program are open already, and take precedence. */
  static readonly layer = Layer.scoped(
    EngineSet,
    Effect.gen(function* () {
      const { config, engines: given = new Map<string, Engine>() } = yield* ServiceOptions
      const settings = { ...builtIn, ...config.engines }
      const engines = new Map<string, Engine>()
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
        engines.set(key, yield* openEngine(name, keyed, concurrency))
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
  ...cloudKinds
}

/** Kinds of engines that use no key. */
const keyless: ReadonlySet<EngineSettings["kind"]> = new Set(["espeak", "flite", "sherpa", "command"])

const openEngine = (name: string, settings: EngineSettings, concurrency: number) => {
  switch (settings.kind) {
    case "elevenlabs":
    case "azure":
    case "google":
    case "polly":
    case "minimax":
    case "cartesia":
    case "gemini":
      return openCloudEngine(name, settings)
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
      return Effect.flatMap(Layer.build(httpClient), (http) =>
        Effect.provide(
          makeOpenAiEngine({
            ...rest,
            name,
            voices: voices.map(completeVoice),
            timeout: Duration.seconds(timeout ?? 120),
            ...(maxCharacters === undefined ? {} : { maxChars: maxCharacters })
          }),
          http
        )
      )
    }
    case "upstream": {
      const { kind: _, timeout, ...rest } = settings
      return makeUpstreamEngine({ ...rest, name, timeout: Duration.seconds(timeout ?? 600) })
    }
  }
}
