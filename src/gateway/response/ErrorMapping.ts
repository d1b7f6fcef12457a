/** Maps the contract's refusals and the derived client's errors to gateway errors. */
import type { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type { HttpClientError } from "@effect/platform/HttpClientError"
import type { ParseError } from "effect/ParseResult"
import type {
  BadRequest,
  InternalError as BrokenOnWire,
  Conflict,
  Forbidden,
  NotFound,
  PaymentRequired,
  TooLarge,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable
} from "../../contract/Errors.ts"
import { millis } from "../../domain/time/Units.ts"
import { InvalidResponse, type CallFault, Refused, SlowDown, Unreachable } from "../GatewayErrors.ts"
import { mapTransportError } from "../transport/TransportFaults.ts"
import { boundedRetryAfter } from "./RefusalNormalization.ts"

/** Every error of the derived client. */
export type ContractError =
  | BadRequest
  | BrokenOnWire
  | Conflict
  | Forbidden
  | NotFound
  | PaymentRequired
  | TooLarge
  | TooManyRequests
  | Unauthorized
  | Unavailable
  | Unprocessable
  | HttpApiDecodeError
  | HttpClientError
  | ParseError

/** Maps an error of the derived client to a gateway error. */
export const mapError = (error: ContractError): CallFault => {
  switch (error._tag) {
    case "Unauthorized":
    case "Forbidden":
      return new Refused({ reason: "key", words: error.message })
    case "PaymentRequired":
      return new Refused({ reason: "credits", words: error.message })
    case "NotFound":
      return new Refused({ reason: "unknown", words: error.message })
    case "TooLarge":
      return new Refused({
        reason: "too-long",
        words: error.message,
        ...(error.max === undefined ? {} : { max: error.max })
      })
    case "BadRequest":
    case "Unprocessable":
    case "Conflict":
      return new Refused({ reason: "rules", words: error.message })
    case "TooManyRequests":
      return slowDownFrom(error.message, error.retry_after)
    case "Unavailable":
      return slowDownFrom(error.message, error.retry_after, error.code === "disk_full")
    case "Broken":
      return new InvalidResponse({ words: error.message })
    case "HttpApiDecodeError":
    case "ParseError":
      return new InvalidResponse({ words: incomplete })
    case "RequestError":
      return error.cause instanceof InvalidResponse || error.cause instanceof Unreachable
        ? error.cause
        : mapTransportError(error.cause, error.description)
    case "ResponseError":
      return error.response.status >= 300
        ? refusalOf(error.response.status)
        : mapTransportError(error.cause, error.description)
  }
}

/** Builds a SlowDown with a wait in seconds. Implausible waits are dropped. */
export const slowDownFrom = (words: string, seconds: number, isFull = false): SlowDown => {
  const wait = boundedRetryAfter(seconds)
  return new SlowDown({
    words,
    ...(wait === undefined ? {} : { retryAfter: millis(wait * 1000) }),
    ...(isFull ? { isFull } : {})
  })
}

/** Message for a response that is not in the contract's shape, even after normalization. */
const incomplete = "the response lacks required fields"

/** Maps a status that the contract does not define for an endpoint. */
const refusalOf = (status: number): CallFault => {
  const words = `HTTP ${status}`
  switch (status) {
    case 400:
    case 409:
    case 422:
      return new Refused({ reason: "rules", words })
    case 401:
      return new Refused({ reason: "key", words })
    case 402:
      return new Refused({ reason: "credits", words })
    case 404:
      return new Refused({ reason: "unknown", words })
    case 413:
      return new Refused({ reason: "too-long", words })
    case 429:
    case 503:
      return new SlowDown({ words })
    default:
      return new InvalidResponse({ words })
  }
}
