/** Server-Sent Events: the HTML standard's `text/event-stream`, https://html.spec.whatwg.org/#server-sent-events. */
import { HttpServerResponse } from "@effect/platform"
import { Stream } from "effect"

/** Responds with events, one for each text. A comment every 15 s keeps the connection open. */
export const eventStream = (
  events: Stream.Stream<string, unknown>,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(
    Stream.encodeText(
      Stream.merge(
        events,
        Stream.map(Stream.tick("15 seconds"), () => ": waiting\n\n"),
        { haltStrategy: "left" }
      )
    ),
    {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no", ...headers }
    }
  )

/** Formats an event. The data is one line, as JSON is. */
export const eventOf = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
