/** Who speaks, and how: everything besides the text that decides what an utterance sounds like. */
import { Schema } from "effect"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"

/** A provider's voice with its model and controls. Absent controls are left to the provider's defaults. */
export class Casting extends Schema.Class<Casting>("Casting")({
  provider: ProviderId,
  voice: VoiceId,
  model: Schema.optional(ModelId),
  /** Speaking rate, 1 is the voice's own; provider_native only. */
  speed: Schema.optional(Schema.Number),
  /** Volume, 1 is the voice's own; provider_native only. */
  vol: Schema.optional(Schema.Number),
  /** Pitch shift in semitones, 0 is the voice's own; provider_native only. */
  pitch: Schema.optional(Schema.Number)
}) {}

/** The controls that only some providers have, by their names on the wire. */
export const controlNames = ["speed", "vol", "pitch"] as const
