/** Made-up films for the tests of film sync: the times at which somebody speaks, and the matching speech tracks. */
import type { TimedSpan } from "../../../src/audio/sync/CueEvidence.ts"
import { bandCount } from "../../../src/audio/sync/SoundBands.ts"
import type { SpeechTrack } from "../../../src/audio/sync/SpeechTrack.ts"
import { randomOf } from "../signals.ts"

/** Cues of 1 to 4 s, with pauses of up to 6 s. */
export const madeCues = (seed: number, count: number): ReadonlyArray<TimedSpan> => {
  const random = randomOf(seed)
  let at = 5
  return Array.from({ length: count }, () => {
    const start = at + 0.1 + 6 * random() ** 2
    const end = start + 1 + 3 * random()
    at = end
    return { start, end }
  })
}

/** The track of a film in which these cues are spoken over unsteady noise. */
export const madeTrack = (cues: ReadonlyArray<TimedSpan>, seed: number): SpeechTrack => {
  const random = randomOf(seed + 1)
  const steps = Math.round((cues.at(-1)!.end + 10) * 100)
  const voiced = new Float32Array(steps)
  for (const { start, end } of cues) voiced.fill(1, Math.round(start * 100), Math.round(end * 100))
  const presence = Uint8Array.from(voiced, (voice) => 20 + 60 * random() + voice * 80 * random())
  const speech = Uint8Array.from(voiced, (voice) => 60 * random() + 150 * voice)
  const above = Uint8Array.from(
    { length: steps * bandCount },
    (_, k) => 12 * random() + voiced[Math.floor(k / bandCount)]! * (25 + 30 * random())
  )
  return { presence, speech, above }
}
