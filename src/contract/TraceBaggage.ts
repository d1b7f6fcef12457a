/**
 * W3C baggage of traced requests: the attributes of the client's spans, such as the utterance's key, for the service's
 * spans. See https://www.w3.org/TR/baggage/.
 */

/** The header that carries the attributes. */
export const baggageHeader = "baggage"

/** Encodes attributes as a header value. */
export const baggageOf = (attributes: Iterable<readonly [string, unknown]>): string =>
  Array.from(attributes, ([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join(",")

/** Decodes a header value. Skips entries that are malformed, and the properties of the others. */
export const attributesIn = (baggage: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    baggage.split(",").flatMap((entry) => {
      const [, name, value] =
        /^([^\s=;]+)\s*=\s*((?:[^%;\s]|%[\dA-F]{2})*)$/iu.exec((entry.split(";")[0] ?? "").trim()) ?? []
      try {
        return name === undefined || value === undefined ? [] : [[name, decodeURIComponent(value)]]
      } catch {
        return []
      }
    })
  )
