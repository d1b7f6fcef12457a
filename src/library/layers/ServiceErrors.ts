/** Errors about the speech service that are found before a run. */
import { Schema } from "effect"

/** The service's URL is invalid, or its key is missing. */
export class ServiceUnusable extends Schema.TaggedError<ServiceUnusable>()("ServiceUnusable", {
  /** The fault, and how to fix it. */
  detail: Schema.NonEmptyString
}) {
  override get message(): string {
    return this.detail
  }
}
