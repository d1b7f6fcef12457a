/** Gateways to a remote service, or to one that runs in this process. */
import { Effect, Layer, Logger, LogLevel, type Redacted, type Scope } from "effect"
import type { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { Dialect, RemoteService } from "../../domain/manifest/ServiceDialect.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { ServiceAddress } from "../../gateway/exchange/ServiceAddress.ts"
import type { EmbeddedOptions, ServeFailed } from "../../service/Service.ts"
import { ServiceUnusable } from "./ServiceErrors.ts"

/** A service's URL and key. */
export interface ServicePlace {
  readonly baseUrl: URL
  readonly key: Redacted.Redacted
  readonly dialect?: Dialect | undefined
}

/** The gateway to a service. `place` may start that service; it stops with the gateway. */
export const gatewayAt = <E, R>(place: Effect.Effect<ServicePlace, E, R>) =>
  Gateway.Default.pipe(
    Layer.provide(
      Layer.scoped(
        ServiceAddress,
        Effect.map(place, (found) => ({ ...found, ...requestTimeouts }))
      )
    ),
    Layer.provide(httpTransport)
  )

/** HTTP, whose code is loaded when a gateway connects. */
const httpTransport = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("../../gateway/exchange/HttpTransport.ts")),
    ({ HttpTransport }) => HttpTransport.Default
  )
)

/** Checks a remote service's URL and key. `advice` completes "the service at URL needs a key; …". */
export const remotePlace = (
  { baseUrl, dialect }: RemoteService,
  key: Redacted.Redacted | undefined,
  advice: string
): Effect.Effect<ServicePlace, ServiceUnusable> => {
  if (!URL.canParse(baseUrl) || !["http:", "https:"].includes(new URL(baseUrl).protocol))
    return new ServiceUnusable({ detail: `invalid service URL "${baseUrl}" (example: https://tts.example)` })
  const url = new URL(baseUrl)
  return key === undefined
    ? new ServiceUnusable({ detail: `the service at ${url.origin} needs a key; ${advice}` })
    : Effect.succeed({ baseUrl: url, key, dialect })
}

/** Starts the bundled service in this process. Its code is loaded only then. */
export const embeddedPlace = (
  options: EmbeddedOptions
): Effect.Effect<ServicePlace, ServeFailed, Scope.Scope | Ffmpeg> =>
  Effect.gen(function* () {
    const { embedded } = yield* Effect.promise(() => import("../../service/Service.ts"))
    // Log only errors: the run itself reports which lines failed, and why.
    const { address, key } = yield* embedded(options).pipe(Logger.withMinimumLogLevel(LogLevel.Error))
    return { baseUrl: new URL(address), key }
  })

/** How long a run waits for the service: for a response of the interface, and for a whole audio file. */
const requestTimeouts = { answerWithin: "60 seconds", audioWithin: "10 minutes" } as const
