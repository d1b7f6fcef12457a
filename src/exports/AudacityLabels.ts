/** Audacity labels: a line per cue, in seconds. */
import type { Timeline } from "../domain/speech/Timeline.ts"
import { oneLine } from "./SingleLineText.ts"

/** Labels in order of their start: start and end in seconds to the millisecond, then the speaker and the words. */
export const audacityLabels = (timeline: Timeline): string =>
  timeline.tracks
    .flatMap((track) => track.clips.map((clip) => ({ clip, speaker: track.name })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .map(({ clip, speaker }) =>
      [seconds(clip.at), seconds(clip.at + clip.duration), said(speaker, oneLine(clip.text))].join("\t")
    )
    .map((line) => `${line}\n`)
    .join("")

/** The words, with the speaker before them unless they begin with him, as in a subtitle that labels its lines. */
const said = (speaker: string, text: string): string =>
  text.toLowerCase().startsWith(`${speaker.toLowerCase()}:`) ? text : `${speaker}: ${text}`

const seconds = (position: number): string => (position / 1000).toFixed(6)
