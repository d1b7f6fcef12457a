/** Reads the OpenTelemetry collector from the environment. */

/** The collector that receives traces. */
export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Service name in the traces. */
  readonly name: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the collector set by OpenTelemetry's variables; undefined if there is none. */
export const collectorIn = (environment: Environment): Collector | undefined => {
  const traces = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? ""
  const all = environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? ""
  const url = traces !== "" ? traces : all === "" ? "" : `${all.replace(/\/+$/u, "")}/v1/traces`
  return URL.canParse(url)
    ? {
        url,
        headers: headersIn(
          environment["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? environment["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""
        ),
        name: environment["OTEL_SERVICE_NAME"] ?? "dubwright"
      }
    : undefined
}

/** Parses headers as in OpenTelemetry's variables: `name=value,name=value`, percent-encoded. */
const headersIn = (list: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list.split(",").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]]
    })
  )

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
