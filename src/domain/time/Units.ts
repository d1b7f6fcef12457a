/**
 * Units of time and money. Time on a timeline is an integer, never a float: milliseconds for cues and placements,
 * frames for PCM. Conversions stand here and nowhere else, each from an absolute position, so that no error adds up.
 */
import { Schema } from "effect"

/** A position or length on a timeline, in whole milliseconds; zero or more. */
export const Millis = Schema.NonNegativeInt.pipe(Schema.brand("Millis"))
export type Millis = typeof Millis.Type

/** A length in whole microseconds, for media whose length is no whole number of milliseconds; zero or more. */
export const Micros = Schema.NonNegativeInt.pipe(Schema.brand("Micros"))
export type Micros = typeof Micros.Type

/** A position or length in PCM, in sample frames (one sample per channel); zero or more. */
export const Frames = Schema.NonNegativeInt.pipe(Schema.brand("Frames"))
export type Frames = typeof Frames.Type

/** Frames per second of PCM, in hertz. */
export const SampleRate = Schema.Int.pipe(Schema.between(8_000, 192_000), Schema.brand("SampleRate"))
export type SampleRate = typeof SampleRate.Type

/** Loudness in LUFS (ITU-R BS.1770); negative for anything but full-scale tones. */
export const Lufs = Schema.Number.pipe(Schema.brand("Lufs"))
export type Lufs = typeof Lufs.Type

/** A duration or position in whole milliseconds from any number of milliseconds, rounded to the nearest, at least 0. */
export const millis = (value: number): Millis => Millis.make(Math.max(0, Math.round(value)))

/** A count of frames from any number, rounded to the nearest, at least 0. */
export const frames = (value: number): Frames => Frames.make(Math.max(0, Math.round(value)))

/** The rate at which results are delivered, 48 kHz: what film and video editors expect. */
export const deliveryRate = SampleRate.make(48_000)

/** The frame nearest to a position in milliseconds; exact for rates that are whole multiples of 1 kHz. */
export const framesAt = (position: Millis, rate: SampleRate): Frames =>
  Frames.make(Math.round((position * rate) / 1000))

/** The frame nearest to a position in microseconds: exact to the frame up to 500 kHz. */
export const framesAtMicros = (position: Micros, rate: SampleRate): Frames =>
  Frames.make(Math.round((position * rate) / 1_000_000))

/** The millisecond nearest to a position in microseconds. */
export const millisAtMicros = (position: Micros): Millis => Millis.make(Math.round(position / 1000))

/** The millisecond nearest to a frame. */
export const millisAt = (position: Frames, rate: SampleRate): Millis =>
  Millis.make(Math.round((position * 1000) / rate))

/** The length in milliseconds that surely holds so many frames (rounded up). */
export const millisHolding = (length: Frames, rate: SampleRate): Millis =>
  Millis.make(Math.ceil((length * 1000) / rate))

/** Seconds, as reports and people write them, from milliseconds. */
export const toSeconds = (position: Millis): number => position / 1000

/** Milliseconds from seconds, rounded to the nearest, at least 0. */
export const fromSeconds = (value: number): Millis => millis(value * 1000)

/** The frames from `from` up to, not including, `to`, which is not before it. */
export const framesBetween = (from: Frames, to: Frames): Frames => Frames.make(to - from)
