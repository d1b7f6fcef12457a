/**
 * Delivery profiles: what platforms and broadcasters require of a file's sound. docs/checks/delivery.md links the
 * source of each number.
 */

import { Schema } from "effect"
import { described, optional } from "./FieldDescription.ts"

const decibels = Schema.Number.pipe(Schema.between(-60, 0))

/** A loudness to reach, and to judge if it has a tolerance. */
export const LoudnessRule = Schema.Struct({
  target: described(Schema.Number.pipe(Schema.between(-40, -8)), "LUFS."),
  mono: optional(Schema.Number.pipe(Schema.between(-40, -8)), "Target of mono files in LUFS, if it differs."),
  tolerance: optional(
    Schema.Number.pipe(Schema.between(0.1, 10)),
    "Allowed distance from the target, in LU. Without it, the mix is levelled to the target, but not judged."
  ),
  over: described(Schema.Literal("dialogue", "programme"), "Measure the spoken lines, or everything.")
})

/** Numbers of channels and their layouts. */
export const channelLayouts = { 1: "mono", 2: "stereo", 6: "5.1" } as const

/** Requirements of a profile. Absent requirements are measured, but not judged. */
export const DeliveryProfile = Schema.Struct({
  loudness: optional(LoudnessRule, "The loudness of the result."),
  range: optional(Schema.Positive, "Highest loudness range, in LU."),
  truePeak: optional(decibels, "Highest true peak, in dBTP."),
  rate: optional(Schema.Int.pipe(Schema.between(8_000, 192_000)), "Sample rate in Hz."),
  depth: optional(Schema.Literal(16, 24, 32), "Bits per sample; lossy files have none."),
  channels: optional(
    Schema.NonEmptyArray(Schema.Literal(1, 2, 6)),
    "Accepted numbers of channels: 1 is mono, 2 is stereo, 6 is 5.1."
  ),
  voicesOnly: optional(Schema.Boolean, "Whether files hold voices only, without a background. Not judged."),
  start: optional(
    Schema.String.pipe(Schema.pattern(/^[0-2]\d:[0-5]\d:[0-5]\d$/u)),
    "Timecode of the first frame, such as 01:00:00."
  ),
  silence: optional(Schema.Positive, "Longest silence in seconds: 100 ms steps at -70 LUFS or less."),
  name: optional(Schema.NonEmptyString, "Regular expression that the whole file name matches."),
  length: optional(
    Schema.NonNegative,
    "How far the sound's end may be from the picture's, in seconds; default 0.05."
  )
})
export type DeliveryProfile = typeof DeliveryProfile.Type

/** Default of `length` in seconds: less than two frames of picture, more than one frame of AAC. */
export const besidePicture = 0.05

export const profileNames = [
  "netflix-premix",
  "netflix-nearfield",
  "prime",
  "ebu-r128",
  "atsc-a85",
  "youtube",
  "podcast"
] as const
export type ProfileName = (typeof profileNames)[number]

const dialogue27 = { target: -27, tolerance: 2, over: "dialogue" } as const

/** The built-in profiles. */
export const deliveryProfiles: Readonly<Record<ProfileName, DeliveryProfile>> = {
  // The dialogue before the mix. Netflix states no loudness for it, so dubwright levels it like the mix, but does not
  // judge it.
  "netflix-premix": {
    loudness: { target: -27, over: "dialogue" },
    truePeak: -6,
    rate: 48_000,
    depth: 24,
    channels: [1],
    voicesOnly: true,
    length: 0.01
  },
  "netflix-nearfield": {
    loudness: dialogue27,
    truePeak: -2,
    rate: 48_000,
    depth: 24,
    channels: [2, 6]
  },
  prime: { loudness: dialogue27, truePeak: -2, rate: 48_000, depth: 24, channels: [2, 6], length: 2 },
  "ebu-r128": {
    loudness: { target: -23, tolerance: 0.5, over: "programme" },
    truePeak: -1
  },
  "atsc-a85": {
    loudness: { target: -24, tolerance: 2, over: "programme" },
    truePeak: -2
  },
  youtube: {
    loudness: { target: -14, tolerance: 1, over: "programme" },
    truePeak: -1
  },
  podcast: {
    loudness: { target: -16, mono: -19, tolerance: 1, over: "programme" },
    truePeak: -1,
    channels: [1, 2]
  }
}
