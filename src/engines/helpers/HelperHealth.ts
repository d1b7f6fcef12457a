/** Stops sending requests to a failing helper: it counts as down if it is unusable or keeps failing. */
import { Effect, Either } from "effect"
import { HelperFailed } from "./HelperFailed.ts"

/** Requests in a row that fail before a helper counts as down. */
const maxFailures = 3

/** Wraps a helper, or why it could not be opened. */
export const makeHelperHealth = <H>(opened: Either.Either<H, HelperFailed>) => {
  let inARow = 0
  let down = Either.isLeft(opened) ? opened.left.detail : undefined
  let why = down
  return {
    /** Returns the first reason for a failure; undefined if no request has failed. */
    why: (): string | undefined => why,
    /** Makes a request unless the helper is down. Left: why there is no result. */
    ask: <A, E, R>(
      request: (helper: H) => Effect.Effect<A, E | HelperFailed, R>
    ): Effect.Effect<Either.Either<A, string>, Exclude<E, HelperFailed>, R> =>
      Effect.suspend(() =>
        down !== undefined || Either.isLeft(opened)
          ? Effect.succeed(Either.left(down ?? ""))
          : request(opened.right).pipe(
              Effect.map((result) => {
                inARow = 0
                return Either.right(result)
              }),
              Effect.catchIf(
                (error): error is HelperFailed => error instanceof HelperFailed,
                ({ reason, detail }) =>
                  Effect.sync(() => {
                    why ??= detail
                    if (reason === "unusable" || ++inARow >= maxFailures) down ??= detail
                    return Either.left(detail)
                  })
              )
            )
      )
  }
}
