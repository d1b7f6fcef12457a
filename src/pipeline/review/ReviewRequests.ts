/** Parses requests of the review page about approvals, speakers' voices and the shape of cues. */
import { Either, Schema } from "effect"
import { SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import type { ApprovalRequest } from "../../pages/data/ReviewProtocol.ts"
import { type ReviewFailed, reviewFailed } from "./ReviewFailed.ts"
import type { Shape } from "./ReviewShapes.ts"

const parsing =
  <A, I>(schema: Schema.Schema<A, I>, expected: string) =>
  (body: string): Either.Either<A, ReviewFailed> =>
    Either.mapLeft(Schema.decodeEither(Schema.parseJson(schema))(body), () =>
      reviewFailed(`expected ${expected}, in the review page's format`)
    )

const Words = Schema.NonEmptyTrimmedString.pipe(Schema.maxLength(20_000))
const Piece = Schema.Struct({ name: Schema.String, first: Words, rest: Words })
const Shift = Schema.Struct({ by: Schema.Number.pipe(Schema.between(-36_000, 36_000)) })

/** Parses a request to approve cues or a job. */
export const parseApproval: (body: string) => Either.Either<ApprovalRequest, ReviewFailed> = parsing(
  Schema.Struct({
    cues: Schema.optionalWith(Schema.Array(Schema.NonNegativeInt), { exact: true }),
    job: Schema.optionalWith(Schema.Literal(true), { exact: true }),
    approved: Schema.Boolean
  }),
  "cues to approve"
)

/** Parses a request for another voice of a speaker. */
export const parseVoice = parsing(SpeakerVoice, "a speaker and a voice")

/** Parses a request to split, join or move a cue. */
export const parseShape = (
  what: "split" | "join" | "shift",
  body: string
): Either.Either<Shape, ReviewFailed> => {
  switch (what) {
    case "split":
      return Either.map(parsing(Piece, "the words of both pieces")(body), (piece): Shape => ({
        _tag: "Split",
        ...piece
      }))
    case "shift":
      return Either.map(
        parsing(Shift, "a number of seconds between -36000 and 36000")(body),
        ({ by }): Shape => ({ _tag: "Shift", by })
      )
    case "join":
      return Either.right({ _tag: "Join" })
  }
}
