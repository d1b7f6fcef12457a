/** Ready-made layers of `SpeechService`: the bundled service, a remote one, or an engine of the host program. */
import { Array, type Context, Effect, Either, Layer, type Redacted, Schema } from "effect"
import { primaryLanguage, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import type { Engine, EngineVoice } from "../../engines/Engine.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { Slug } from "../../settings/SettingsFields.ts"
import { defaultProviders } from "../../service/config/DefaultProviders.ts"
import type { ServiceConfig } from "../../service/config/ServiceConfig.ts"
import type { EmbeddedOptions } from "../../service/Service.ts"
import { bundledService } from "./BundledService.ts"
import { embeddedPlace, gatewayAt, remotePlace } from "./GatewayLayers.ts"
import { ServiceUnusable } from "./ServiceErrors.ts"
import type { LocalVoices } from "../../pipeline/plan/SpeechAccess.ts"
import { SpeechService } from "./SpeechService.ts"

type Choice = SpeechService["Type"]["choice"]

/** A service without a key: one in this process, unless `choice` lets the manifest name a remote one. */
const keyless = (
  ffmpeg: Ffmpeg,
  choice: Choice,
  local: LocalVoices,
  own: Omit<EmbeddedOptions, "dataDir">
): Context.Tag.Service<SpeechService> => ({
  choice,
  hasKey: false,
  local,
  connect: (service, dataDir) =>
    gatewayAt(
      Effect.gen(function* () {
        if (service !== "embedded") return yield* remotePlace(service, undefined, advice)
        return yield* Effect.provideService(embeddedPlace({ ...own, dataDir }), Ffmpeg, ffmpeg)
      })
    )
})

const advice = "pass service: { key } with its key"

const bundledIn = Effect.map(
  Effect.all([Ffmpeg, bundledService]),
  ([ffmpeg, { config, local, providers }]) =>
    (choice: Choice) =>
      keyless(ffmpeg, { ...choice, providers }, local, { config })
)

/** The bundled service in this process, whatever the manifest says. */
export const embeddedService: Layer.Layer<SpeechService, never, Ffmpeg> = Layer.effect(
  SpeechService,
  Effect.map(bundledIn, (bundled) => bundled({ embedded: true }))
)

/** The bundled service. If the manifest names a remote one, connecting fails because there is no key. */
export const manifestService: Layer.Layer<SpeechService, never, Ffmpeg> = Layer.effect(
  SpeechService,
  Effect.map(bundledIn, (bundled) => bundled({}))
)

/** A remote service. Without `url`, the manifest names it. */
export const remoteService = (options: {
  readonly url?: string | undefined
  readonly key: Redacted.Redacted
}): Layer.Layer<SpeechService, never, Ffmpeg> =>
  Layer.effect(
    SpeechService,
    Effect.map(bundledIn, (bundled) => {
      const local = bundled({})
      return {
        ...local,
        choice: { ...local.choice, baseUrl: options.url },
        hasKey: true,
        connect: (service, dataDir) =>
          service === "embedded"
            ? local.connect(service, dataDir)
            : gatewayAt(remotePlace(service, options.key, advice))
      }
    })
  )

/** Settings of an engine that takes the place of the service. */
export interface EngineServiceOptions {
  /** Tasks spoken at once; default 2. */
  readonly concurrency?: number | undefined
}

/**
 * An engine in place of the service. It is the only provider, with the engine's name as its id, the engine's own voice
 * ids, and no price. Jobs that name no voice get the first voice of their language, else the first voice.
 */
export const engineService = (
  engine: Engine,
  { concurrency = 2 }: EngineServiceOptions = {}
): Layer.Layer<SpeechService, ServiceUnusable, Ffmpeg> =>
  Layer.effect(
    SpeechService,
    Effect.gen(function* () {
      const ffmpeg = yield* Ffmpeg
      const voices = yield* Effect.mapError(
        engine.voices,
        ({ message }) => new ServiceUnusable({ detail: message })
      )
      const [first] = voices
      const unfit = [engine.name, ...voices.map(({ id }) => id)].find((id) => Either.isLeft(slug(id)))
      if (unfit !== undefined)
        return yield* new ServiceUnusable({
          detail: `engine ${engine.name}: "${unfit}" cannot be part of a URL; use 1 to 80 letters, digits, dots, dashes, plus signs or underscores`
        })
      if (first === undefined)
        return yield* new ServiceUnusable({
          detail: `engine ${engine.name} has no voices; list at least one`
        })
      const engines = new Map([[engine.name, engine]])
      const config = configOf(engine.name, concurrency)
      const choice = { embedded: true, providers: [engine.name] }
      return keyless(ffmpeg, choice, localVoices(engine.name, [first, ...voices.slice(1)]), {
        config,
        engines
      })
    })
  )

const slug = Schema.decodeUnknownEither(Slug)

/** Settings with the engine as the only provider. */
const configOf = (name: string, concurrency: number): ServiceConfig => ({
  providers: {
    ...Object.fromEntries(Object.keys(defaultProviders).map((id) => [id, { enabled: false }])),
    [name]: {
      enabled: true,
      engine: name,
      concurrency,
      models: [{ id: `${name}-1`, creditsPerCharacter: 0 }],
      voices: "all",
      voicePrefix: ""
    }
  }
})

const localVoices = (
  name: string,
  voices: readonly [EngineVoice, ...ReadonlyArray<EngineVoice>]
): LocalVoices => {
  const provider = ProviderId.make(name)
  return {
    voicesFor: (language) => {
      const primary = primaryLanguage(language ?? "")
      const own = voices.filter(({ languages }) => languages.some((tag) => primaryLanguage(tag) === primary))
      const speaking = Array.isNonEmptyReadonlyArray(own) ? own : voices
      return Array.map(speaking, ({ id }) => ({ provider, voice: VoiceId.make(id) }))
    },
    traitsOf: ({ voice }) => voices.find(({ id }) => id === voice),
    offers: (casting) => casting.provider === provider && voices.some(({ id }) => id === casting.voice),
    priceOf: () => 0,
    unusable: Effect.succeed(new Map()),
    unread: Effect.succeed(() => undefined),
    remarks: () => []
  }
}
