/**
 * Every HTTP request of the program goes over undici connections with the limits below. `HttpTransport` reads whole,
 * bounded responses and is made for tens of thousands of requests; `httpClient` is @effect/platform's client.
 *
 * A redirect is returned like any other response: the caller decides whether to follow it, and whether to send the key.
 */
import type { LookupFunction } from "node:net"
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from "node:zlib"
import { HttpClient, HttpTraceContext } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import { Duration, Effect, Either, FiberRef, HashMap, Layer } from "effect"
import { keyHeader } from "../../contract/SpeechApi.ts"
import { baggageHeader, baggageOf } from "../../contract/TraceBaggage.ts"
import { InvalidResponse, Unreachable } from "../GatewayErrors.ts"

/** Limits of all connections. Each request has narrower limits of its own. */
const limits = {
  /** Connections per origin; further requests wait for one. */
  connections: 1_024,
  connect: { timeout: 10_000 },
  /** Maximum milliseconds until a response begins, and between two parts of it. */
  headersTimeout: 3_600_000,
  bodyTimeout: 300_000,
  /** Maximum bytes of a response. */
  maxResponseSize: 2 * 1024 ** 3
} satisfies Agent.Options

/** Opens connections, which are closed with the scope: to the addresses that `lookup` returns, if it is given. */
const makeAgents = Effect.map(
  Effect.acquireRelease(
    Effect.sync((): Array<Agent> => []),
    (agents) => Effect.promise(() => Promise.all(agents.map((agent) => agent.destroy())))
  ),
  (agents) => (lookup?: LookupFunction) => {
    const agent = new Agent({ ...limits, connect: { ...limits.connect, lookup } })
    agents.push(agent)
    return agent
  }
)

/** The HTTP client for engines, webhooks and traces. Its callers limit the time and the length of each response. */
export const httpClient: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(makeAgents, (open) =>
    NodeHttpClient.makeUndici(
      // The client turns off the time limits of the body.
      open().compose((dispatch) => (options, handler) => dispatch({ ...options, bodyTimeout: null }, handler))
    )
  )
)

/** A request. */
export interface SentRequest<E> {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: "GET" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Maximum bytes of the response body. */
  readonly most: number
  /** Makes the error of a longer body. */
  readonly tooLong: () => E
  /** Maximum time for the whole response. */
  readonly within: Duration.DurationInput
  /** Message of the error after that time. */
  readonly late: string
  /** Checked right before the request is written to its connection. If false, nothing is sent. */
  readonly maySend?: (() => boolean) | undefined
  /** Minimum rate of the response. Absent: limited by `within` only. */
  readonly slowest?: Slowest
}

/** A minimum rate. Fewer than `bytes` in `within` is a stall; the first bytes may take twice as long. */
export interface Slowest {
  readonly bytes: number
  readonly within: Duration.DurationInput
  /** Message of the error on a stall. */
  readonly words: string
}

/** A response, whatever its status. */
export interface HttpAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: Uint8Array
}

/** Sends requests over connections. Interrupting a request aborts it. */
export interface HttpSender {
  readonly send: <E extends Error>(request: SentRequest<E>) => Answered<E>
}

/** Sends requests over its own connections, which are closed with it. */
export class HttpTransport extends Effect.Service<HttpTransport>()("gateway/HttpTransport", {
  scoped: Effect.map(makeAgents, (open) => {
    const sender = (lookup?: LookupFunction): HttpSender => {
      const agent = open(lookup)
      return {
        send: (request) =>
          Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (isTraced) =>
            isTraced ? traced(agent, request) : answered(agent, request)
          )
      }
    }
    /** Makes a sender with connections of its own, to the addresses that `lookup` returns. */
    const guarded = (lookup: LookupFunction) => sender(lookup)
    return { ...sender(), guarded }
  })
}) {}

type Answered<E> = Effect.Effect<HttpAnswer, Unreachable | InvalidResponse | E>

const answered = <E extends Error>(agent: Agent, request: SentRequest<E>): Answered<E> =>
  Effect.async((told) => {
    const { origin, path, method, headers, body, most, tooLong, within, late, maySend, slowest } = request
    const pieces: Array<Buffer> = []
    let length = 0
    let status = 0
    let names: Names = {}
    let stop: ((reason: Error) => void) | undefined
    let fault: Unreachable | InvalidResponse | E | undefined
    const giveUp = (why: Unreachable | InvalidResponse | E) => {
      clearInterval(pulse)
      fault ??= why
      if (stop === undefined) told(Either.left(fault))
      else stop(fault)
    }
    const timer = setTimeout(
      // Without a connection, nothing was sent and nothing will be.
      () => giveUp(new (stop === undefined ? Unreachable : InvalidResponse)({ words: late })),
      Duration.toMillis(within)
    )
    let before = 0
    let isBegun = false
    const pulse =
      slowest &&
      setInterval(() => {
        if ((isBegun || status !== 0) && length - before < slowest.bytes)
          giveUp(new InvalidResponse({ words: slowest.words }))
        before = length
        isBegun = true
      }, Duration.toMillis(slowest.within))
    const ended = () => {
      clearTimeout(timer)
      clearInterval(pulse)
    }
    agent.dispatch(
      { origin, path, method, headers, body: body ?? null },
      {
        onRequestStart: (controller) => {
          stop = (reason) => controller.abort(reason)
          if (fault !== undefined) stop(fault)
          else if (maySend?.() === false) giveUp(unsent)
        },
        onResponseStart: (_, code, headers) => {
          status = code
          names = headers
          if (Number(headers["content-length"]) > most) giveUp(tooLong())
        },
        onResponseData: (_, piece) => {
          length += piece.length
          if (length > most) giveUp(tooLong())
          else pieces.push(piece)
        },
        onResponseEnd: () => {
          ended()
          const header = (name: string) => [names[name]].flat()[0]
          const body = unpacked(whole(pieces), header("content-encoding"), most)
          told(body === undefined ? Either.left(tooLong()) : Either.right({ status, header, body }))
        },
        onResponseError: (_, error) => {
          ended()
          told(Either.left(fault ?? mapTransportError(error, stop !== undefined)))
        }
      }
    )
    return Effect.sync(() => {
      ended()
      giveUp(aborted)
    })
  })

/**
 * Sends a request in a client span, and continues the trace if the key is sent. The span has no path, because paths of
 * files are secret.
 */
const traced = <E extends Error>(agent: Agent, request: SentRequest<E>): Answered<E> => {
  const { method, origin, headers } = request
  const attributes = { "http.request.method": method, "server.address": origin }
  const options = { kind: "client", attributes, captureStackTrace: false } as const
  return Effect.useSpan("HttpTransport.send", options, (span) =>
    Effect.gen(function* () {
      const about = yield* FiberRef.get(FiberRef.currentTracerSpanAnnotations)
      const baggage = HashMap.isEmpty(about) ? {} : { [baggageHeader]: baggageOf(about) }
      const trace = keyHeader in headers ? { ...HttpTraceContext.toHeaders(span), ...baggage } : {}
      const answer = yield* answered(agent, { ...request, headers: { ...headers, ...trace } })
      span.attribute("http.response.status_code", answer.status)
      return answer
    })
  )
}

const unsent = new Unreachable({ words: "the request could not be sent in time" })

const aborted = new InvalidResponse({ words: "the request was aborted" })

type Names = Readonly<Record<string, string | Array<string> | undefined>>

/** Supported content encodings. A request without Accept-Encoding allows any. */
const unpackers: Readonly<Record<string, (body: Uint8Array, bounds: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync
}

/**
 * Decompresses a body; returns undefined if the result is longer than `most` bytes. A body that does not match its
 * encoding, or is truncated, is returned unchanged for the caller to judge.
 */
const unpacked = (body: Uint8Array, encoding: string | undefined, most: number): Uint8Array | undefined => {
  const unpack = encoding === undefined ? undefined : unpackers[encoding.trim().toLowerCase()]
  if (unpack === undefined) return body
  try {
    return new Uint8Array(unpack(body, { maxOutputLength: most }))
  } catch (error) {
    return error instanceof RangeError ? undefined : body
  }
}

/** Joins chunks. Most responses are one chunk, which needs no copy. */
const whole = (pieces: ReadonlyArray<Buffer>): Uint8Array => {
  const [first] = pieces
  const { buffer, byteOffset, length } =
    pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
  return new Uint8Array(buffer, byteOffset, length)
}

/** Failures to connect: unknown host, no listener, no route, untrusted certificate. Some also end a connection. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/u

/**
 * Maps a connection failure: Unreachable if nothing was sent, else InvalidResponse. `wasStarted` is whether the request
 * was being written to its connection.
 */
const mapTransportError = (cause: unknown, wasStarted: boolean): Unreachable | InvalidResponse => {
  const codes: Array<string> = []
  let words = ""
  for (let error = cause; error instanceof Error; error = error.cause) {
    if ("code" in error && typeof error.code === "string") codes.push(error.code)
    if (words === "") words = error.message === "" ? (codes[0] ?? error.name) : error.message
  }
  if (words === "") words = "the connection failed"
  const unsent = wasStarted ? undefined : codes.find((code) => neverSent.test(code))
  if (unsent !== undefined) return new Unreachable({ words, code: unsent })
  return new InvalidResponse({ words, ...(codes[0] === undefined ? {} : { code: codes[0] }) })
}
