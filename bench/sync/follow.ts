/**
 * Measures `fit: { follow: speech }`: cues moved at random by up to 0.3 s, over backgrounds at 10 dB. Prints the share
 * of cues within 60 ms of the voice, before and after. It also prints the shares for cues after a pause and for cues
 * right after other speech: sound alone hardly shows where the latter begin. Then it does the same for subtitles whose
 * cues keep their ends, or are not moved at all.
 */
import { speechOnsets } from "../../src/audio/sync/SpeechOnsets.ts"
import { speechTrackOf } from "../../src/audio/sync/SpeechTrack.ts"
import { backgroundNames } from "./backgrounds.ts"
import { bandsOf, isHeldOut, mixed, rate, sources, spokenOf, type Spoken } from "./films.ts"
import { randomOf } from "./random.ts"

/** How far cues are moved, and how near to the voice they must come, in seconds. */
const jitter = 0.3
const near = 0.06

/** The shortest silence that counts as a pause, in seconds. */
const leastPause = 0.1

/** What happens to the cues: they are moved, only their starts are moved, or they stay where they are. */
const treatments = ["moved", "starts moved", "not moved"] as const

export const measureFollowing = async (films: number) => {
  const shares = new Map<string, { count: number; before: number; after: number }>()
  for (let film = 0; film < films; film++) {
    // This way, the held-out sources get every background, too.
    const name = backgroundNames[(film + Math.floor(film / 2)) % 4]!
    const source = (film * 5 + Math.floor(film / 12)) % sources.length
    const spoken = await spokenOf(sources[source]!)
    const track = speechTrackOf(bandsOf(mixed(spoken, name, 10, film)))
    const share = isHeldOut(source) ? "held out" : "trained on"
    for (const treatment of treatments) {
      const random = randomOf(film + 77)
      const cues = spoken.cues
        .map(({ start, end, spoken: isSpoken, onset }) => {
          const move = treatment === "not moved" ? 0 : jitter * (2 * random() - 1)
          const from = start + move
          return {
            start: from,
            end: treatment === "moved" ? end + move : Math.max(end, from),
            isSpoken,
            onset
          }
        })
        .sort((a, b) => a.start - b.start)
      const onsets = speechOnsets(track, cues)
      for (const [k, { start, isSpoken, onset }] of cues.entries()) {
        if (!isSpoken) continue
        const place = pauseBefore(spoken, onset) >= leastPause ? "after a pause" : "right after speech"
        const kinds =
          treatment === "moved"
            ? ["all cues", share, `${share}, ${place}`, `${share}, ${name}`]
            : [`${treatment}, ${share}`]
        for (const kind of kinds) {
          const counts = shares.get(kind) ?? { count: 0, before: 0, after: 0 }
          shares.set(kind, counts)
          counts.count++
          if (Math.abs(start - onset) <= near) counts.before++
          if (Math.abs((onsets[k] ?? start) - onset) <= near) counts.after++
        }
      }
    }
  }
  for (const [kind, { count, before, after }] of shares)
    process.stdout.write(
      `${kind.padEnd(32)} ${`${count}`.padStart(5)} cues, within 60 ms: ` +
        `${((100 * before) / count).toFixed(1)} %, then ${((100 * after) / count).toFixed(1)} %\n`
    )
}

/** The silence before a moment of a film's speech, in seconds. */
const pauseBefore = ({ samples }: Spoken, onset: number): number => {
  const end = Math.round(onset * rate) - 1
  let at = end
  while (at >= 0 && samples[at] === 0) at--
  return (end - at) / rate
}
