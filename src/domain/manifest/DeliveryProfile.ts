/**
 * Delivery profiles: what platforms and broadcasters require of a file's sound. docs/checks/delivery.md links the
 * source of each number.
 */

/** Requirements of a profile. What is absent is measured, but not judged. */
export interface DeliveryProfile {
  readonly loudness?: {
    /** LUFS. */
    readonly target: number
    /** LUFS of a file with one channel, if it differs. */
    readonly mono?: number
    /** LU, each way. */
    readonly tolerance: number
    /** What is measured: lines that are spoken, or everything. */
    readonly over: "dialogue" | "programme"
  }
  /** Highest loudness range, in LU. */
  readonly range?: number
  /** Highest true peak, in dBTP. */
  readonly truePeak?: number
  /** Hz. */
  readonly rate?: number
  /** Bits per sample; lossy files have none. */
  readonly depth?: number
  /** Accepted numbers of channels. */
  readonly channels?: ReadonlyArray<number>
  /** How far the sound's end may be from the picture's, in seconds. */
  readonly length: number
}

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

/** Default of `length`: less than two frames of picture, more than one frame of AAC. */
const besidePicture = 0.05

/** The built-in profiles. */
export const deliveryProfiles: Readonly<Record<ProfileName, DeliveryProfile>> = {
  "netflix-premix": { loudness: dialogue27, truePeak: -2, rate: 48_000, depth: 24, length: besidePicture },
  "netflix-nearfield": {
    loudness: dialogue27,
    truePeak: -2,
    rate: 48_000,
    depth: 24,
    channels: [2, 6],
    length: besidePicture
  },
  prime: { loudness: dialogue27, truePeak: -2, rate: 48_000, depth: 24, channels: [2, 6], length: 2 },
  "ebu-r128": {
    loudness: { target: -23, tolerance: 0.5, over: "programme" },
    truePeak: -1,
    length: besidePicture
  },
  "atsc-a85": {
    loudness: { target: -24, tolerance: 2, over: "programme" },
    truePeak: -2,
    length: besidePicture
  },
  youtube: {
    loudness: { target: -14, tolerance: 1, over: "programme" },
    truePeak: -1,
    length: besidePicture
  },
  podcast: {
    loudness: { target: -16, mono: -19, tolerance: 1, over: "programme" },
    truePeak: -1,
    channels: [1, 2],
    length: besidePicture
  }
}
