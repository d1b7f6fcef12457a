/** The loudness of clips. */
import { Lufs } from "../../domain/time/Units.ts"
import { LoudnessMeter } from "./LoudnessMeter.ts"
import type { Pcm } from "../pcm/Pcm.ts"

/**
 * The integrated loudness of a clip, -70 at least. A clip shorter than one gating block of 400 ms is measured as if
 * silence followed it up to that length.
 */
export const loudnessOf = (pcm: Pcm): Lufs => {
  const meter = new LoudnessMeter(pcm.rate, 1)
  meter.push(pcm.samples)
  const missing = Math.round(pcm.rate * 0.4) - pcm.samples.length
  if (missing > 0) meter.push(new Float32Array(missing))
  return Lufs.make(meter.integrated())
}
