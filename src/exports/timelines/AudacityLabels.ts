/** Audacity label track: one line per cue, times in seconds. */
import type { Timeline } from "../../domain/speech/Timeline.ts"
import { labelled } from "../text/SingleLineText.ts"

/**
 * Encodes the labels in order of start: start and end in seconds, precise to the millisecond, then speaker and text.
 */
export const audacityLabels = (timeline: Timeline): string =>
  timeline.tracks
    .flatMap((track) => track.clips.map((clip) => ({ clip, speaker: track.name })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .map(({ clip, speaker }) =>
      [seconds(clip.at), seconds(clip.at + clip.duration), labelled(speaker, clip.text)].join("\t")
    )
    .map((line) => `${line}\n`)
    .join("")

const seconds = (position: number): string => (position / 1000).toFixed(6)
