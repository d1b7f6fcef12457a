/** The service of a command: from its options and the environment, or the bundled one in this process. */
import { Effect, Layer, Option } from "effect"
import type { Dialect, RemoteService } from "../../domain/manifest/ServiceDialect.ts"
import type { Engine } from "../../engines/Engine.ts"
import { bundledService } from "../../library/layers/BundledService.ts"
import { embeddedPlace, gatewayAt, remotePlace } from "../../library/layers/GatewayLayers.ts"
import { readingGateway } from "../../pipeline/plan/SpeechAccess.ts"
import { SpeechService } from "../../library/layers/SpeechService.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { environmentBaseUrl, environmentKey } from "./Environment.ts"

/** The command line's options that choose the service. */
export interface ServiceFlags {
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  /** The dialect of a manifest's service. */
  readonly dialect?: Dialect | undefined
}

/** The service in use. */
export type ChosenService = "embedded" | RemoteService

/** Starts the bundled service, which stores its data in `dataDir`. It uses open `engines` by their names. */
export const bundledPlace = (
  dataDir: string,
  engines: Effect.Effect<ReadonlyMap<string, Engine>> = Effect.succeed(new Map())
) =>
  Effect.gen(function* () {
    const { config } = yield* bundledService
    return yield* embeddedPlace({ dataDir, config, engines: yield* engines })
  })

/** The gateway to a service; the bundled service stores its data in `dataDir`. */
export const gatewayTo = (service: ChosenService, dataDir: string) =>
  gatewayAt(
    Effect.gen(function* () {
      if (service === "embedded") return yield* Effect.provide(bundledPlace(dataDir), ffmpegFromEnvironment)
      const key = Option.getOrUndefined(yield* environmentKey)
      return yield* remotePlace(service, key, advice)
    })
  )

const advice = "set DUBWRIGHT_API_KEY, or use --embedded for the bundled service"

/** The service of a command on a batch. */
export const commandService = ({ baseUrl, embedded }: ServiceFlags) =>
  Layer.effect(
    SpeechService,
    Effect.gen(function* () {
      const fromEnvironment = Option.getOrUndefined(yield* environmentBaseUrl)
      const { local, providers } = yield* bundledService
      return {
        choice: { baseUrl, embedded, environmentBaseUrl: fromEnvironment, providers },
        hasKey: Option.isSome(yield* environmentKey),
        connect: gatewayTo,
        local
      }
    })
  )

/** The service of commands without a manifest: from the option, else the environment, else the bundled one. */
export const chosenService = ({ baseUrl, embedded, dialect }: ServiceFlags) =>
  Effect.map(environmentBaseUrl, (fromEnvironment): ChosenService => {
    const address = baseUrl ?? Option.getOrUndefined(fromEnvironment)
    if (embedded || address === undefined) return "embedded"
    return { baseUrl: address, dialect }
  })

/** The gateway of a read-only command; without `dataDir`, a bundled service uses a temporary folder. */
export const readingFrom = (options: ServiceFlags, dataDir?: string) =>
  Layer.unwrapEffect(
    Effect.map(chosenService(options), (service) =>
      dataDir === undefined ? readingGateway(service, gatewayTo) : gatewayTo(service, dataDir)
    )
  )
