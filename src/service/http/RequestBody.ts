/** Reads and validates a request's JSON body, with a size limit. */
import { type HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { Schema } from "effect"
import { Effect, Either, ParseResult } from "effect"
import { BadRequest, TooLarge } from "../../contract/Errors.ts"
import { firstProblem } from "../../settings/ParseProblems.ts"
import { describeProblem } from "./ErrorResponse.ts"

/**
 * Reads the body and decodes it with the schema. Rejects content types other than JSON, compressed bodies, invalid
 * UTF-8, invalid JSON and values that do not match the schema. Rejects a body over `maxBytes` without reading the rest.
 */
export const readBody = <A, I>(
  request: HttpServerRequest.HttpServerRequest,
  schema: Schema.Schema<A, I>,
  maxBytes: number
): Effect.Effect<A, BadRequest | TooLarge> => {
  const parse = ParseResult.decodeUnknownEither(schema)
  return Effect.gen(function* () {
    yield* checkHeaders(request.headers)
    const bytes = yield* collect(request, maxBytes)
    if (isDeeperThan(maxLevels, bytes))
      return yield* unreadable(`the body is nested deeper than ${maxLevels} levels; expected a JSON object`)
    const text = yield* Either.try({
      try: () => strictUtf8.decode(bytes),
      catch: () => unreadable("the body is not valid UTF-8; encode it as UTF-8")
    })
    const value = yield* Either.try({
      try: (): unknown => JSON.parse(text),
      catch: () =>
        unreadable(
          text === ""
            ? "the body is empty; expected a JSON object"
            : "the body is not valid JSON; expected a JSON object"
        )
    })
    return yield* Either.mapLeft(parse(value), (issue) => {
      const { path, message } = firstProblem(issue)
      return new BadRequest({ code: "field_invalid", ...describeProblem(path, message) })
    })
  })
}

/** Maximum levels of JSON. Requests need two; reading 100,000 keeps other clients waiting. */
const maxLevels = 100

const [quote, backslash] = [0x22, 0x5c]

/** Whether lists and objects of a JSON text are nested deeper than `most`. */
const isDeeperThan = (most: number, bytes: Uint8Array): boolean => {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isQuoted = !isQuoted
    else if (isQuoted) at += byte === backslash ? 1 : 0
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > most) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

const unreadable = (message: string) => new BadRequest({ code: "body_unreadable", message, field: "body" })

const checkHeaders = (headers: Readonly<Record<string, string | undefined>>) => {
  const type = headers["content-type"]
  // Absent means JSON. Parameters are ignored: strict decoding catches any charset other than UTF-8.
  if (type !== undefined && !/^application\/json\s*(;|$)/iu.test(type.trim()))
    return Effect.fail(unreadable(`Content-Type is ${type.slice(0, 100)}; expected application/json`))
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity")
    return Effect.fail(
      unreadable(`Content-Encoding is ${encoding.slice(0, 100)}; expected an uncompressed body`)
    )
  return Effect.void
}

const collect = (
  request: HttpServerRequest.HttpServerRequest,
  maxBytes: number
): Effect.Effect<Buffer, BadRequest | TooLarge> =>
  Effect.async((resume) => {
    const source = NodeHttpServerRequest.toIncomingMessage(request)
    const tooLarge = () =>
      Effect.fail(
        new TooLarge({
          code: "body_too_large",
          message: `the body is larger than ${maxBytes} bytes; split the text`,
          field: "body",
          max: maxBytes
        })
      )
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
      resume(tooLarge())
      return
    }
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => {
      source.off("data", onData).off("end", onEnd).off("error", onError)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) {
        chunks.push(chunk)
        return
      }
      // Discards the rest as it arrives, until the server's request timeout.
      stop()
      source.resume()
      resume(tooLarge())
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(Buffer.concat(chunks, size)))
    }
    const onError = () => {
      stop()
      resume(Effect.fail(unreadable("the connection closed before the whole body arrived")))
    }
    source.on("data", onData).on("end", onEnd).on("error", onError)
    return Effect.sync(stop)
  })
