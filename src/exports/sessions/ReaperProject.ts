/**
 * REAPER project (.rpp): a tree of lines in plain text. The format has no specification; the writer follows files of
 * REAPER 6 and 7.
 */
import type { Timeline, TimelineClip, TimelineFilm } from "../../domain/speech/Timeline.ts"
import { framesAt, type Frames, framesBetween } from "../../domain/time/Units.ts"
import { labelled, noteOf, oneLine } from "../text/SingleLineText.ts"
import { picturesOf, pictureStart } from "../timelines/TimelineLanes.ts"

/**
 * Encodes a project at 48 kHz: the film with its own sound on the first track, then a track per speaker. Items hold
 * whole clip files at the exact sample; an item's snap offset is the first word. Fades are in the silence around the
 * words, so the speech is heard as in the mix. A background has a track, and turns the film's own down. A region spans
 * each cue's words; a marker is at each flagged cue.
 */
export const reaperProject = (timeline: Timeline): string => {
  const { background, film, frameRate, startFrame, tracks } = timeline
  const { nominal, rate } = frameRate
  const start = (startFrame * rate.denominator) / rate.numerator
  const lines = [
    ...(film === undefined ? [] : filmTrack(timeline, film)),
    ...[...(background === undefined ? [] : [background]), ...tracks].flatMap(({ name, clips }, place) => [
      ...trackHead(name, place + 2),
      ...clips.toSorted((a, b) => a.at - b.at || a.cue - b.cue).flatMap((clip) => itemOf(timeline, clip)),
      "  >"
    ])
  ]
  return [
    `<REAPER_PROJECT 0.1 "6.0" 0`,
    `  PROJOFFS ${seconds(start)} 0 0`,
    // Rulers: minutes and seconds, then timecode. 1 means drop-frame, 2 means 1000/1001 of the rate without it.
    `  TIMEMODE 1 5 -1 ${nominal} ${frameRate.drop ? 1 : rate.denominator === 1001 ? 2 : 0} 0 -1`,
    "  SAMPLERATE 48000 1 0",
    "  TEMPO 120 4 4",
    ...regionsOf(timeline),
    ...lines,
    ">",
    ""
  ].join("\n")
}

/** Regions come before markers; both are numbered from 1. A region is a pair of lines with the same number. */
const regionsOf = ({ tracks, markers }: Timeline): ReadonlyArray<string> => [
  ...tracks
    .flatMap(({ name, clips }) => clips.map((clip) => ({ clip, name })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
    .flatMap(({ clip: { cue, at, duration, text }, name }, place) => {
      const words = quoted(`${cue} ${labelled(name, text)}`)
      return [
        `  MARKER ${place + 1} ${seconds(at / 1000)} ${words} 1 0 1 R ${guid(1, place + 1)}`,
        `  MARKER ${place + 1} ${seconds((at + duration) / 1000)} "" 1`
      ]
    }),
  ...markers.map(
    ({ at, name, note }, place) =>
      `  MARKER ${place + 1} ${seconds(at / 1000)} ${quoted(`${name} ${note}`)} 0 0 1 B ${guid(2, place + 1)}`
  )
]

/** The film as one item, of the picture's length. REAPER plays its picture and its first sound track. */
const filmTrack = (timeline: Timeline, film: TimelineFilm): ReadonlyArray<string> => {
  const { numerator, denominator } = timeline.frameRate.rate
  return [
    // A muted track would hide the picture.
    ...trackHead("Original", 1, timeline.background === undefined ? 1 : 0),
    "    <ITEM",
    "      POSITION 0",
    `      LENGTH ${seconds((picturesOf(timeline) * denominator) / numerator)}`,
    "      LOOP 0",
    `      NAME ${quoted(film.path.split("/").at(-1) ?? film.path)}`,
    "      <SOURCE VIDEO",
    `        FILE ${quoted(film.path)}`,
    "      >",
    "    >",
    "  >"
  ]
}

const trackHead = (name: string, place: number, volume = 1): ReadonlyArray<string> => [
  `  <TRACK ${guid(3, place)}`,
  `    NAME ${quoted(name)}`,
  `    VOLPAN ${volume} 0 -1 -1 1`,
  "    NCHAN 2"
]

/** Longest fade of an item. */
const maxFade = 0.01

const itemOf = (timeline: Timeline, clip: TimelineClip): ReadonlyArray<string> => {
  const { at, duration, media, sourceIn } = clip
  const speech = framesAt(at, media.rate)
  const lead = framesBetween(pictureStart(at, timeline.frameRate, media.rate), speech)
  const words = Math.ceil((duration * media.rate) / 1000)
  const whole = media.length - sourceIn
  const length = timeline.background?.clips.includes(clip) === true ? Math.min(whole, lead + words) : whole
  const tail = length - lead - words
  const fade = (silence: number) => `1 ${seconds(Math.min(maxFade, Math.max(0, silence) / media.rate))} 0`
  return [
    "    <ITEM",
    `      POSITION ${inSeconds(speech - lead, media.rate)}`,
    `      SNAPOFFS ${inSeconds(lead, media.rate)}`,
    `      LENGTH ${inSeconds(length, media.rate)}`,
    "      LOOP 0",
    `      FADEIN ${fade(lead)}`,
    `      FADEOUT ${fade(tail)}`,
    `      NAME ${quoted(clip.name)}`,
    `      SOFFS ${inSeconds(sourceIn, media.rate)}`,
    "      <SOURCE WAVE",
    `        FILE ${quoted(media.path)}`,
    "      >",
    "      <NOTES",
    `        |${noteOf(clip)}`,
    "      >",
    "    >"
  ]
}

const inSeconds = (frames: Frames | number, rate: number): string => seconds(frames / rate)

/** Enough digits to name a sample of a day at 192 kHz; REAPER keeps 14 to 17 itself. */
const seconds = (time: number): string => `${Number(time.toFixed(12))}`

/** Quotes a text. The format has no escapes: the quote is one that the text does not hold. */
const quoted = (text: string): string => {
  const line = oneLine(text)
  const free = ['"', "'", "`"].find((quote) => !line.includes(quote))
  return free === undefined ? `\`${line.replaceAll("`", "'")}\`` : `${free}${line}${free}`
}

/** A GUID that is unique in the project and the same in each run, so that an unchanged project stays the same file. */
const guid = (kind: number, number: number): string =>
  `{00000000-0000-4000-800${kind}-${number.toString(16).toUpperCase().padStart(12, "0")}}`
