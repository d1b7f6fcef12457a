/** Reading what a service sends, never more than was agreed. */
import type { HttpClientResponse } from "@effect/platform"
import type { ResponseError } from "@effect/platform/HttpClientError"
import { Data, Effect, Stream } from "effect"

/** A body that is longer than it may be. */
export class BodyTooLong extends Data.TaggedError("BodyTooLong")<{ readonly most: number }> {}

/** A response's body, of at most so many bytes. A response that says more is not read at all. */
export const bodyOf = (
  response: HttpClientResponse.HttpClientResponse,
  most: number
): Effect.Effect<Uint8Array, ResponseError | BodyTooLong> => {
  const stated = Number(response.headers["content-length"])
  if (stated > most) return new BodyTooLong({ most })
  // The connection delivers no more than the length it stated.
  if (stated >= 0) return Effect.map(response.arrayBuffer, (buffer) => new Uint8Array(buffer))
  return Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let length = 0
    return Stream.runForEach(response.stream, (piece) => {
      pieces.push(piece)
      length += piece.length
      return length > most ? new BodyTooLong({ most }) : Effect.void
    }).pipe(Effect.map(() => Buffer.concat(pieces)))
  })
}
