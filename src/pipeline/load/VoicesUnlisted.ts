/** The error of voices without a provider. Imports no other part of the program. */
import { Schema } from "effect"

/** The service's voices could not be listed, so the provider of some voices is unknown. */
export class VoicesUnlisted extends Schema.TaggedError<VoicesUnlisted>()("VoicesUnlisted", {
  voices: Schema.Array(Schema.String),
  cause: Schema.Defect
}) {
  override get message(): string {
    const voices = this.voices.map((voice) => `"${voice}"`).join(", ")
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return (
      `no provider is set for ${voices}, and the service's ` +
      `voices could not be read: ${why}; set --provider, or provider: in the manifest`
    )
  }
}
