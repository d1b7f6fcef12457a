/** Integrated loudness of a clip (ITU-R BS.1770-4). */
import { Lufs } from "../../domain/time/Units.ts"
import { LoudnessMeter } from "./LoudnessMeter.ts"
import type { Pcm } from "../pcm/Pcm.ts"

/**
 * Returns the integrated loudness in LUFS, at least -70. A clip shorter than one gating block of 400 ms is measured as
 * if padded with silence to that length.
 */
export const loudnessOf = (pcm: Pcm): Lufs => {
  const meter = new LoudnessMeter(pcm.rate, 1)
  meter.push(pcm.samples)
  const missing = Math.round(pcm.rate * 0.4) - pcm.samples.length
  if (missing > 0) meter.push(new Float32Array(missing))
  return Lufs.make(meter.integrated())
}
