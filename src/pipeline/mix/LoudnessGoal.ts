/** The loudness and peak that a mix should have, from the manifest's `loudness` or its delivery profile. */
import type { DeliveryProfile } from "../../domain/manifest/DeliveryProfile.ts"
import { loudnessNamed, type LoudnessTarget } from "../../domain/manifest/SoundSettings.ts"
import { type LossyCoder, peakRoom } from "../../ffmpeg/encode/LossyCodecs.ts"

/** The loudness and peak that a programme should have. */
export interface LoudnessGoal {
  /** LUFS; undefined leaves the mix unchanged. */
  readonly loudness: number | undefined
  /** The highest allowed true peak in dBTP. */
  readonly peak: number
  /** Whether the spoken lines have that loudness, or the whole mix (default). */
  readonly over?: "dialogue"
  /** Deviation in LU from which a programme is rendered again; default `farOff`. */
  readonly tolerance?: number
}

/** The codec of an output, and its kilobits per second and channel. */
export interface Coding {
  readonly coder: LossyCoder
  readonly bitrate: number
}

/** The properties of a mix that decide its goal besides `loudness` and codecs. */
export interface MixKind {
  readonly channels: number
  readonly hasBackground: boolean
  readonly profile: DeliveryProfile | undefined
}

const plain: MixKind = { channels: 1, hasBackground: false, profile: undefined }

/** Deviation in LU from which a programme levelled by an excerpt is rendered again. */
export const farOff = 0.4

/** Distance kept from a profile's ceiling, in dB, because meters of true peak differ by this much. */
const peakMargin = 0.2

/** In LUFS, below any loudness at which codecs add more to peaks. */
const softest = -70

/**
 * Translates the manifest's loudness setting, or the profile's rules instead. Lowers the peak limit, in tenths of a
 * decibel, because codecs raise peaks. Over a background, a number is the loudness of the spoken lines, because that of
 * the whole mix depends on the background.
 */
export const targetOf = (
  written: LoudnessTarget,
  codings: ReadonlyArray<Coding>,
  { channels, hasBackground, profile }: MixKind = plain
): LoudnessGoal => {
  const rule = profile?.loudness
  const loudness =
    rule === undefined ? loudnessNamed(written) : channels === 1 ? (rule.mono ?? rule.target) : rule.target
  const peak = profile?.truePeak === undefined ? peakUnder(written) : profile.truePeak - peakMargin
  const above = (loudness ?? softest) - peak
  const headroom = Math.max(0, ...codings.map(({ coder, bitrate }) => peakRoom(coder, bitrate, above)))
  const isDialogue =
    rule === undefined ? hasBackground && typeof written === "number" : rule.over === "dialogue"
  return {
    loudness,
    peak: Math.round(10 * (peak - headroom)) / 10,
    ...(isDialogue ? { over: "dialogue" } : {}),
    ...(rule?.tolerance === undefined ? {} : { tolerance: Math.min(farOff, rule.tolerance / 2) })
  }
}

/** The ceiling in dBTP that goes with a loudness setting. */
const peakUnder = (written: LoudnessTarget): number => (typeof written === "number" ? -1.5 : -1)
