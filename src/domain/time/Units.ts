/**
 * Units of time and loudness. Timeline times are integers, never floats: milliseconds for cues and placements, frames
 * for PCM.
 *
 * All conversions are in this file. Each converts an absolute position, so rounding errors do not accumulate.
 */
import { Schema } from "effect"

/** A position or length on a timeline, in whole milliseconds, 0 or more. */
export const Millis = Schema.NonNegativeInt.pipe(Schema.brand("Millis"))
export type Millis = typeof Millis.Type

/** A length in whole microseconds, 0 or more, for media whose length is not a whole number of milliseconds. */
export const Micros = Schema.NonNegativeInt.pipe(Schema.brand("Micros"))
export type Micros = typeof Micros.Type

/** A position or length in PCM, in sample frames (one sample per channel), 0 or more. */
export const Frames = Schema.NonNegativeInt.pipe(Schema.brand("Frames"))
export type Frames = typeof Frames.Type

/** Frames per second of PCM, in hertz. */
export const SampleRate = Schema.Int.pipe(Schema.between(8_000, 192_000), Schema.brand("SampleRate"))
export type SampleRate = typeof SampleRate.Type

/** Loudness in LUFS (ITU-R BS.1770). Only full-scale tones reach 0 or more. */
export const Lufs = Schema.Number.pipe(Schema.brand("Lufs"))
export type Lufs = typeof Lufs.Type

/** Rounds to whole milliseconds, at least 0. */
export const millis = (value: number): Millis => whole(Millis, Math.max(0, Math.round(value)))

/** Rounds to whole frames, at least 0. */
export const frames = (value: number): Frames => whole(Frames, Math.max(0, Math.round(value)))

/** Lets the schema validate only what it would reject: a plan makes hundreds of thousands of times. */
const whole = <Unit>(
  unit: { readonly make: (value: number, options: { readonly disableValidation: boolean }) => Unit },
  value: number
): Unit => unit.make(value, { disableValidation: Number.isSafeInteger(value) && value >= 0 })

/** The sample rate of results, 48 kHz, which film and video editors expect. */
export const deliveryRate = SampleRate.make(48_000)

/** Returns the frame nearest to a position in milliseconds; exact for rates that are multiples of 1 kHz. */
export const framesAt = (position: Millis, rate: SampleRate): Frames =>
  whole(Frames, Math.round((position * rate) / 1000))

/** Returns the frame nearest to a position in microseconds; accurate to the frame up to 500 kHz. */
export const framesAtMicros = (position: Micros, rate: SampleRate): Frames =>
  Frames.make(Math.round((position * rate) / 1_000_000))

/** Returns the millisecond nearest to a position in microseconds. */
export const millisAtMicros = (position: Micros): Millis => Millis.make(Math.round(position / 1000))

/** Returns the millisecond nearest to a frame. */
export const millisAt = (position: Frames, rate: SampleRate): Millis =>
  Millis.make(Math.round((position * 1000) / rate))

/** Returns the shortest length in milliseconds that contains this many frames (rounded up). */
export const millisHolding = (length: Frames, rate: SampleRate): Millis =>
  whole(Millis, Math.ceil((length * 1000) / rate))

/** Converts milliseconds to seconds, as used in manifests and reports. */
export const toSeconds = (position: Millis): number => position / 1000

/** Converts seconds to milliseconds, rounded to the nearest, at least 0. */
export const fromSeconds = (value: number): Millis => millis(value * 1000)

/** Returns the number of frames from `from` to `to`, exclusive. `to` must not be before `from`. */
export const framesBetween = (from: Frames, to: Frames): Frames => whole(Frames, to - from)
