/** Text cleanup for file formats with one line per entry, and for XML. */
import type { TimelineClip } from "../../domain/speech/Timeline.ts"

/** Puts text on one line: line breaks and runs of whitespace become single spaces; control characters are removed. */
export const oneLine = (text: string): string => printable(text.replaceAll(/[\s\u0085]+/gu, " ")).trim()

/**
 * Puts text on one line after the speaker's name, unless it already begins with it, as in subtitles that label their
 * lines.
 */
export const labelled = (speaker: string, text: string): string => {
  const line = oneLine(text)
  return labelLength(speaker, line) > 0 ? line : `${speaker}: ${line}`
}

/** Puts text on one line without the speaker's name in front. */
export const unlabelled = (speaker: string, text: string): string => {
  const line = oneLine(text)
  return line.slice(labelLength(speaker, line)).trim()
}

/** Characters of the speaker's name and its colon at the beginning of a line; 0 if the line does not name them. */
const labelLength = (speaker: string, line: string): number => {
  if (!line.toLowerCase().startsWith(speaker.toLowerCase())) return 0
  const colon = /^ ?[:：]/u.exec(line.slice(speaker.length))
  return colon === null ? 0 : speaker.length + colon[0].length
}

/** Replaces letters and signs by ASCII, where they have an equivalent: `Ba Hai` for Bà Hai. */
export const asciiText = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\u0000-\u007E]/gu, (sign) => asciiSigns.get(sign) ?? "?")

const asciiSigns = new Map(
  ["đd", "ĐD", "øo", "ØO", "łl", "ŁL", "ıi", "ßss", "æae", "ÆAE", "œoe", "ŒOE"]
    .concat("‘'", "’'", '“"', '”"', '„"', '«"', '»"', "‐-", "‑-", "–-", "—-", "⁄/", "：:", "¿", "¡")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)])
)

/** Removes the characters that XML forbids: control characters, lone surrogates, noncharacters. */
const printable = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF\p{Cs}]/gu,
    ""
  )

/**
 * Converts a relative path with forward slashes to a URL: percent-encodes each segment, keeps slashes. Between drives
 * or shares of Windows there is no relative path: the absolute one becomes a file URL.
 */
export const relativeUrl = (path: string): string => {
  const encoded = path.split("/").map(encodeURIComponent).join("/")
  if (path.startsWith("//")) return `file:${encoded}`
  return /^[A-Za-z]:\//u.test(path) ? `file:///${encoded.replace("%3A", ":")}` : encoded
}

/** Returns a clip's note for editors: its text, its speed if changed, its flags. */
export const noteOf = (clip: TimelineClip): string =>
  oneLine(
    [
      clip.text,
      ...(clip.speed === 1 ? [] : [`(speed ${Number(clip.speed.toFixed(3))})`]),
      ...(clip.flags.length === 0 ? [] : [`[${clip.flags.join(", ")}]`])
    ].join(" ")
  )
