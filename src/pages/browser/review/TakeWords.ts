/** Converts a take to the audio and the words of the edit box. */
import type { Take } from "../../data/ReviewProtocol.ts"
import { markNames, marks } from "../../parts/MarkWords.ts"

/** Returns a take's audio. */
export const wavOf = ({ wav }: Take): Blob =>
  new Blob([Uint8Array.from(atob(wav), (letter) => letter.charCodeAt(0))], { type: "audio/wav" })

/** Describes how the take fits its slot. */
export const describeTake = ({ start, end, speed, flags, shortenBy, besides }: Take): string => {
  const looks = markNames.filter((name) => name !== "together" && flags.includes(name))
  const length = `${(end - start).toFixed(1)} s at ${speed.toFixed(2)}×, from ${start.toFixed(2)} s to ${end.toFixed(2)} s`
  const fit =
    looks.length === 0
      ? "in place"
      : `${looks.map((name) => marks[name].word).join(", ")}${shortenBy === undefined ? "" : `: ${shortenBy} characters too long`}`
  const others = besides.length === 0 ? "" : `; spoken again with it: cue ${besides.join(", ")}`
  return `${length}; ${fit}${others}.`
}
