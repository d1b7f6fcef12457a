/** Sends traces to an OpenTelemetry collector. Loaded only if the environment names one. */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { Headers, HttpBody, HttpClient, HttpClientError } from "@effect/platform"
import { type Duration, Effect, Layer, Schedule } from "effect"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { version } from "../../domain/values/Version.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { withoutSecrets } from "./SecretVariables.ts"
import type { Collector } from "./TraceCollector.ts"

/** Maximum time of an export, its retries included. */
const timeLimit: Duration.DurationInput = "3 seconds"

/**
 * Sends exports. When the program ends, the exporter interrupts the request that it is sending, and its spans are lost.
 * So requests cannot be interrupted here: each ends with its response, or at the time limit.
 */
const exportClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    client.pipe(
      HttpClient.retryTransient({ schedule: Schedule.spaced("250 millis") }),
      HttpClient.transform((sending, request) =>
        sending.pipe(
          Effect.interruptible,
          Effect.timeoutFail({
            duration: timeLimit,
            onTimeout: () =>
              new HttpClientError.RequestError({
                request,
                reason: "Transport",
                description: "the collector did not answer in time"
              })
          }),
          // Else interrupting the exporter would also interrupt the fibers of the request and of its time limit.
          Effect.disconnect,
          Effect.uninterruptible
        )
      )
    )
  )
).pipe(Layer.provide(httpClient))

/** Spans have the messages of errors, which may have anything in them. */
const json = (data: unknown) => HttpBody.text(withoutSecrets(JSON.stringify(data)), "application/json")
const serialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: json,
  metrics: json,
  logs: json
})

/**
 * Runs an effect and exports its spans to the collector. At the end, waits for the current export and sends the last
 * spans.
 */
export const withTracing = <A, E, R>(effect: Effect.Effect<A, E, R>, { url, headers, name }: Collector) =>
  effect.pipe(
    Effect.withSpan("dubwright"),
    Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, keyHeader]),
    Effect.provide(
      OtlpTracer.layer({
        url,
        headers,
        resource: { serviceName: name, serviceVersion: version },
        exportInterval: "2 seconds",
        shutdownTimeout: timeLimit
      }).pipe(Layer.provide(serialization), Layer.provide(exportClient))
    )
  )
