/** The layers that reach a service: a remote one by its address and key, or the bundled one inside this process. */
import { FileSystem } from "@effect/platform"
import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { Gateway } from "../../gateway/Gateway.ts"
import { ServiceAddress } from "../../gateway/transport/ServiceAddress.ts"
import { HttpTransport } from "../../gateway/transport/HttpTransport.ts"
import { badUsage } from "../ExitCodes.ts"
import { ffmpegLayer } from "./FfmpegLayer.ts"
import { environmentBaseUrl, environmentKey } from "./Environment.ts"

/** Which service the command line asks for. */
export interface ServiceOptions {
  readonly baseUrl: string | undefined
  readonly embedded: boolean
}

/** Which service is used. */
export type ChosenService = "embedded" | { readonly baseUrl: string }

const remote = Effect.fnUntraced(function* (baseUrl: string) {
  if (!URL.canParse(baseUrl) || !["http:", "https:"].includes(new URL(baseUrl).protocol)) {
    return yield* badUsage(
      `the service's address "${baseUrl}" is none: expected one like https://tts.example`
    )
  }
  const key = yield* environmentKey
  if (Option.isNone(key)) {
    return yield* badUsage(
      `the service at ${new URL(baseUrl).origin} needs a key: set DUBWRIGHT_API_KEY, or use the bundled service with --embedded`
    )
  }
  return { baseUrl: new URL(baseUrl), key: key.value }
})

const bundled = Effect.fnUntraced(function* (dataDir: string) {
  const { embedded } = yield* Effect.promise(() => import("../../service/Service.ts"))
  // Its own log is of use where it runs by itself; here the run tells which lines failed, and why.
  const { address, key } = yield* embedded({ dataDir }).pipe(
    Effect.provide(ffmpegLayer),
    Logger.withMinimumLogLevel(LogLevel.Error)
  )
  return { baseUrl: new URL(address), key }
})

/** The gateway to a service; the bundled one keeps its tasks in `dataDir`. */
export const gatewayTo = (service: ChosenService, dataDir: string) => {
  const address = Layer.scoped(
    ServiceAddress,
    Effect.gen(function* () {
      const place = service === "embedded" ? yield* bundled(dataDir) : yield* remote(service.baseUrl)
      return { ...place, answerWithin: "60 seconds", audioWithin: "10 minutes" } as const
    })
  )
  return Gateway.Default.pipe(Layer.provide(address), Layer.provide(HttpTransport.Default))
}

/** The service of commands that have no manifest: the option's, else the environment's, else the bundled one. */
export const chosenService = ({ baseUrl, embedded }: ServiceOptions) =>
  Effect.map(environmentBaseUrl, (fromEnvironment): ChosenService => {
    const address = baseUrl ?? Option.getOrUndefined(fromEnvironment)
    return embedded || address === undefined ? "embedded" : { baseUrl: address }
  })

/** The gateway of a command that only reads; a bundled service leaves nothing behind unless it is given a folder. */
export const readingFrom = (options: ServiceOptions, dataDir?: string) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const service = yield* chosenService(options)
      const folder =
        dataDir ?? (service === "embedded" ? yield* fs.makeTempDirectoryScoped({ prefix: "dubwright-" }) : "")
      return gatewayTo(service, folder)
    })
  )
