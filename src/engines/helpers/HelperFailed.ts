/**
 * Errors of helpers: recognisers and rewriters, which are programs or servers that a run uses but can finish without.
 */
import { Data } from "effect"

/** Why a helper gave no result. */
export class HelperFailed extends Data.TaggedError("HelperFailed")<{
  /** `one`: this request only. `busy`, `unreachable`: worth another try. `unusable`: no request can succeed. */
  readonly reason: "one" | "busy" | "unreachable" | "unusable"
  /** One line that names the helper. */
  readonly detail: string
  /** Seconds that a server asks to wait. */
  readonly retryAfter?: number
}> {}
