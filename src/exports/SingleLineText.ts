/** Texts made fit for files that hold a line each, or XML. */
import type { TimelineClip } from "../domain/speech/Timeline.ts"

/** A text on one line: breaks and runs of space become single spaces, control characters go. */
export const oneLine = (text: string): string => printable(text.replaceAll(/[\s\u0085]+/gu, " ")).trim()

/** A text without the characters that XML forbids: control characters, halves of surrogate pairs, non-characters. */
const printable = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF\p{Cs}]/gu,
    ""
  )

/** A relative path as a URL: what a URL cannot hold is percent-encoded, slashes stay. */
export const relativeUrl = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** What an editor is told about a clip besides its name: its words, its speed where it was changed, its flags. */
export const noteOf = (clip: TimelineClip): string =>
  oneLine(
    [
      clip.text,
      ...(clip.speed === 1 ? [] : [`(speed ${Number(clip.speed.toFixed(3))})`]),
      ...(clip.flags.length === 0 ? [] : [`[${clip.flags.join(", ")}]`])
    ].join(" ")
  )
