/** Audacity label track: one line per cue, times in seconds. */
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { oneLine } from "../text/SingleLineText.ts"

/**
 * Encodes the labels in order of start: start and end in seconds, precise to the millisecond, then speaker and text.
 */
export const audacityLabels = (timeline: Timeline): string =>
  timeline.tracks
    .flatMap((track) => track.clips.map((clip) => ({ clip, speaker: track.name })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .map(({ clip, speaker }) =>
      [seconds(clip.at), seconds(clip.at + clip.duration), said(speaker, oneLine(clip.text))].join("\t")
    )
    .map((line) => `${line}\n`)
    .join("")

/**
 * Prefixes the text with the speaker's name, unless it already begins with it, as in subtitles that label their lines.
 */
const said = (speaker: string, text: string): string =>
  text.toLowerCase().startsWith(`${speaker.toLowerCase()}:`) ? text : `${speaker}: ${text}`

const seconds = (position: number): string => (position / 1000).toFixed(6)
