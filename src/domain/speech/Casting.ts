/** Casting: provider, model, voice and controls. Together with the text, it determines the sound of an utterance. */
import { Schema } from "effect"
import { ModelId, ProviderId, VoiceId } from "../values/Ids.ts"

/** A provider's voice with its model and controls. The provider's defaults apply to absent controls. */
export class Casting extends Schema.Class<Casting>("Casting")({
  provider: ProviderId,
  voice: VoiceId,
  model: Schema.optional(ModelId),
  /** Speaking rate; 1 is the voice's normal rate. Only for providers with this control. */
  speed: Schema.optional(Schema.Number),
  /** Volume; 1 is the voice's normal volume. Only for providers with this control. */
  vol: Schema.optional(Schema.Number),
  /** Pitch shift in semitones; 0 is the voice's normal pitch. Only for providers with this control. */
  pitch: Schema.optional(Schema.Number),
  /** How to say the words, such as `whispers`. Only for providers that take tones. */
  tone: Schema.optional(Schema.NonEmptyTrimmedString)
}) {}

/** Returns the text to send: with the casting's tone, in the form that its provider takes. */
export const tonedText = ({ tone }: Casting, format: string | undefined, text: string): string =>
  tone === undefined || format === undefined
    ? text
    : format.replace(/\{(tone|text)\}/gu, (_, name: string) => (name === "tone" ? tone : text))

/** Controls that only some providers have, by their names in requests. */
export const controlNames = ["speed", "vol", "pitch"] as const

/** The values at which controls change nothing. */
export const neutralControls = { speed: 1, vol: 1, pitch: 0 } as const
