import { describe, expect, it } from "vitest"
import { collectorIn } from "../../../src/app/layers/TraceCollector.ts"

describe("reads the collector from the environment", () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, undefined],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" },
      { url: "http://127.0.0.1:4318/v1/traces", headers: {}, name: "dubwright" }
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/here",
        OTEL_EXPORTER_OTLP_HEADERS: "x-team=dub%20night, bad",
        OTEL_SERVICE_NAME: "night"
      },
      { url: "https://traces.example/here", headers: { "x-team": "dub night" }, name: "night" }
    ]
  ])("%j", (environment, collector) => {
    expect(collectorIn(environment)).toEqual(collector)
  })
})
