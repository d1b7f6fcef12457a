/**
 * HTTP requests over undici with whole, bounded responses: each is read to its end or aborted, limited in length and
 * time.
 *
 * Nothing is streamed through layers that would cost more than the request. The interface is callback-based: a request
 * ends by its time limit, its length limit, or the end of the transport and so of the run.
 */
import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from "node:zlib"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Data, Duration, Effect, Either } from "effect"
import { mapTransportError } from "./TransportFaults.ts"
import { InvalidResponse, Unreachable } from "../GatewayErrors.ts"

/** A request. */
export interface SentRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: "GET" | "POST" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Maximum bytes of the response body. */
  readonly most: number
  /** Maximum time for the whole response. */
  readonly within: Duration.DurationInput
  /** Message of the error when that time is up. */
  readonly late: string
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

/** A body that exceeds its limit. */
export class BodyTooLong extends Data.TaggedError("BodyTooLong")<{ readonly most: number }> {}

export type TransportFault = Unreachable | InvalidResponse | BodyTooLong

/** Called once with a request's result. */
export type TransportSettings<A, E> = (how: Either.Either<A, E>) => void

/** Sends requests over its own connections, which are closed with it. */
export class HttpTransport extends Effect.Service<HttpTransport>()("gateway/Wire", {
  scoped: Effect.map(NodeHttpClient.makeDispatcher, (dispatcher) => ({
    send: (
      { origin, path, method, headers, body, most, within, late, slowest }: SentRequest,
      told: TransportSettings<HttpAnswer, TransportFault>
    ): void => {
      const pieces: Array<Buffer> = []
      let length = 0
      let status = 0
      let names: Names = {}
      let stop: ((reason: Error) => void) | undefined
      let fault: TransportFault | undefined
      const giveUp = (why: TransportFault) => {
        clearInterval(pulse)
        fault ??= why
        if (stop === undefined) told(Either.left(fault))
        else stop(fault)
      }
      const timer = setTimeout(
        // Without a connection, nothing was sent and nothing will be.
        () =>
          giveUp(
            stop === undefined ? new Unreachable({ words: late }) : new InvalidResponse({ words: late })
          ),
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
      dispatcher.dispatch(
        { origin, path, method, headers, body: body ?? null },
        {
          onRequestStart: (controller) => {
            stop = (reason) => controller.abort(reason)
            if (fault !== undefined) stop(fault)
          },
          onResponseStart: (_, code, headers) => {
            status = code
            names = headers
            if (Number(headers["content-length"]) > most) giveUp(new BodyTooLong({ most }))
          },
          onResponseData: (_, piece) => {
            length += piece.length
            if (length > most) giveUp(new BodyTooLong({ most }))
            else pieces.push(piece)
          },
          onResponseEnd: () => {
            ended()
            const header = (name: string) => one(names[name])
            const body = unpacked(whole(pieces), header("content-encoding"), most)
            told(Either.map(body, (body) => ({ status, header, body })))
          },
          onResponseError: (_, error) => {
            ended()
            told(Either.left(fault ?? mapTransportError(error, undefined)))
          }
        }
      )
    }
  }))
}) {}

type Names = Readonly<Record<string, string | Array<string> | undefined>>

const one = (value: string | Array<string> | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** Supported content encodings. A request without Accept-Encoding allows any. */
const unpackers: Readonly<Record<string, (body: Uint8Array, bounds: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync
}

/**
 * Decompresses a body. A body that does not match its encoding, or is truncated, is returned unchanged for the caller
 * to judge.
 */
const unpacked = (
  body: Uint8Array,
  encoding: string | undefined,
  most: number
): Either.Either<Uint8Array, BodyTooLong> => {
  const unpack = encoding === undefined ? undefined : unpackers[encoding.trim().toLowerCase()]
  if (unpack === undefined) return Either.right(body)
  try {
    return Either.right(new Uint8Array(unpack(body, { maxOutputLength: most })))
  } catch (error) {
    return error instanceof RangeError ? Either.left(new BodyTooLong({ most })) : Either.right(body)
  }
}

/** Joins chunks. Most responses are one chunk, which needs no copy. */
const whole = (pieces: ReadonlyArray<Buffer>): Uint8Array => {
  const [first] = pieces
  const { buffer, byteOffset, length } =
    pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
  return new Uint8Array(buffer, byteOffset, length)
}
