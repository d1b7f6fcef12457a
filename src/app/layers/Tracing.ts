/** Sends traces to an OpenTelemetry collector. Loaded only if the environment names one. */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { Headers } from "@effect/platform"
import { Effect, Layer } from "effect"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { version } from "../../domain/values/Version.ts"
import { httpClient } from "../../gateway/transport/HttpTransport.ts"
import type { Collector } from "./TraceCollector.ts"

/** Runs an effect and exports its spans to the collector; remaining spans are flushed at the end, within 3 s. */
export const withTracing = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { url, headers, name }: Collector
): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.withSpan("dubwright"),
    Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, keyHeader]),
    Effect.provide(
      OtlpTracer.layer({
        url,
        headers,
        resource: { serviceName: name, serviceVersion: version },
        exportInterval: "2 seconds",
        shutdownTimeout: "3 seconds"
      }).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(httpClient))
    )
  )
