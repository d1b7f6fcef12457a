/** Sample timelines for the tests of every export format. */
import { FastCheck as fc } from "effect"
import {
  type FrameRate,
  type FrameRateName,
  FrameRateName as Names,
  frameRateNamed
} from "../../../src/domain/time/FrameRate.ts"
import {
  Timeline,
  TimelineClip,
  TimelineFilm,
  TimelineMarker,
  TimelineMedia,
  TimelineTrack
} from "../../../src/domain/speech/Timeline.ts"
import { framesUnder, pictureStart } from "../../../src/exports/timelines/TimelineLanes.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import type { Flag } from "../../../src/domain/speech/Placement.ts"

export const rates: ReadonlyArray<readonly [FrameRateName, FrameRate]> = Names.literals.map((name) => [
  name,
  frameRateNamed(name)
])

const rate48 = SampleRate.make(48_000)

/** A clip whose 48 kHz file fills the video frames in which it is heard. */
export const clip = (
  frameRate: FrameRate,
  cue: number,
  at: number,
  duration: number,
  text: string,
  flags: ReadonlyArray<Flag> = [],
  speed = 1
): TimelineClip => {
  const first = pictureStart(millis(at), frameRate, rate48)
  const name = `${`${cue}`.padStart(4, "0")} Ä&<"'>`
  return TimelineClip.make({
    cue,
    name,
    media: TimelineMedia.make({
      path: `clips/${name}.wav`,
      rate: rate48,
      depth: 16,
      channels: 1,
      length: frames(
        Math.max(
          at * 48 - first + duration * 48,
          framesUnder({ start: millis(at), end: millis(at + duration) }, frameRate, rate48)
        )
      ),
      timeReference: first
    }),
    sourceIn: frames(0),
    at: millis(at),
    duration: millis(duration),
    speed,
    text,
    flags: [...flags]
  })
}

/** A scene with the difficult cases: overlaps, neighbours, minutes that skip frame numbers, text like markup. */
export const scene = (frameRate: FrameRate, startFrame: number): Timeline =>
  Timeline.make({
    name: 'A scene: "Tối" & <more>',
    duration: millis(601_234),
    frameRate,
    startFrame,
    width: 1920,
    height: 1080,
    tracks: [
      TimelineTrack.make({
        name: "ANNA",
        clips: [
          clip(frameRate, 1, 1_000, 1_480, "Good evening.\nIs the ferry late?"),
          clip(frameRate, 2, 2_480, 1_021, "=SUM(A1)"),
          // Starts while the previous clip still plays.
          clip(
            frameRate,
            4,
            3_001,
            2_003,
            'She talks over herself; "really", she does',
            ["overrun", "fast"],
            1.25
          ),
          clip(frameRate, 7, 59_987, 333, "Across a minute"),
          // Shorter than a video frame.
          clip(frameRate, 8, 60_400, 5, "Oh")
        ]
      }),
      TimelineTrack.make({
        name: "BO.2",
        clips: [
          clip(frameRate, 3, 2_600, 1_500, "]]> & </note>"),
          clip(frameRate, 9, 599_900, 1_334, "At ten minutes")
        ]
      }),
      TimelineTrack.make({ name: "Nobody", clips: [] })
    ],
    markers: [TimelineMarker.make({ at: millis(3_001), name: "4 overrun fast", note: "lose 6 characters" })]
  })

/** A film with the given number of video frames, and with its own sound if it has channels. */
export const film = (
  frameRate: FrameRate,
  startFrame: number,
  pictures: number,
  channels = 2
): TimelineFilm =>
  TimelineFilm.make({
    path: "../../Films & more/phà.mov",
    frameRate,
    startFrame,
    pictures,
    ...(channels === 0 ? {} : { sound: { rate: 48_000, channels } })
  })

/** A film of at least 7,300 seconds at any rate, or none. */
const anyFilm = fc.option(
  fc
    .record({
      rate: fc.constantFrom(...rates.map(([, rate]) => rate)),
      startFrame: fc.nat(90_000),
      channels: fc.constantFrom(0, 1, 2, 6)
    })
    .map(({ rate, startFrame, channels }) =>
      film(rate, startFrame, Math.round(7_300 * rate.rate.value), channels)
    ),
  { nil: undefined }
)

/** Timelines at any rate, with or without a film, with clips anywhere. */
export const anyTimeline = fc
  .record({
    film: anyFilm,
    rate: fc.constantFrom(...rates.map(([, rate]) => rate)),
    startFrame: fc.nat(90_000),
    tracks: fc.array(
      fc.array(fc.tuple(fc.nat(7_200_000), fc.integer({ min: 1, max: 9_000 })), { maxLength: 8 }),
      { minLength: 1, maxLength: 4 }
    )
  })
  .map(({ film, rate, startFrame, tracks }) => {
    let cue = 0
    return Timeline.make({
      name: "any",
      duration: millis(7_200_000),
      ...(film === undefined ? {} : { film }),
      frameRate: rate,
      startFrame,
      width: 1280,
      height: 720,
      tracks: tracks.map((clips, place) =>
        TimelineTrack.make({
          name: `S${place}`,
          clips: clips.map(([at, duration]) => clip(rate, ++cue, at, duration, `words of ${cue}`))
        })
      ),
      markers: []
    })
  })

/** The place where a reader found a cue, in seconds from the beginning of the film, and its track. */
export interface Found {
  readonly cue: number
  readonly start: number
  readonly end: number
  readonly track: string
}

/**
 * Returns the largest deviation of a cue from its place, in audio frames at 48 kHz. Assumes that each edit plays its
 * file from the first frame, including the silence before the words. Infinity for a cue that is missing, truncated, or
 * followed by a whole empty video frame.
 */
export const samplesOff = (timeline: Timeline, found: ReadonlyArray<Found>): number => {
  const clips = timeline.tracks.flatMap((track) => track.clips)
  const extra = found.length === clips.length ? 0 : Infinity
  const picture = 1 / timeline.frameRate.rate.value
  return clips.reduce((worst, { cue, at, duration, media }) => {
    const [only, ...others] = found.filter((entry) => entry.cue === cue)
    if (only === undefined || others.length > 0) return Infinity
    const behind = only.end - (at + duration) / 1000
    if (behind < -1e-6 || behind > picture + 1e-6) return Infinity
    return Math.max(worst, Math.abs(only.start * 48_000 - media.timeReference))
  }, extra)
}

/** Returns the largest deviation of a cue from its place, in video frames; Infinity if a cue is missing. */
export const worstError = (timeline: Timeline, found: ReadonlyArray<Found>): number => {
  const clips = timeline.tracks.flatMap((track) => track.clips)
  const rate = timeline.frameRate.rate.value
  const extra = found.length === clips.length ? 0 : Infinity
  return clips.reduce((worst, { cue, at, duration }) => {
    const cues = found.filter((entry) => entry.cue === cue)
    const [only] = cues
    if (only === undefined || cues.length > 1) return Infinity
    const start = Math.abs(only.start - at / 1000) * rate
    // A clip shorter than a video frame lasts one frame.
    const end = duration / 1000 < 1 / rate ? 0 : Math.abs(only.end - (at + duration) / 1000) * rate
    return Math.max(worst, start, end)
  }, extra)
}

/** Whether clips on one track overlap by more than a thousandth of a video frame. */
export const overlapping = (timeline: Timeline, found: ReadonlyArray<Found>): boolean => {
  const tolerance = 0.001 / timeline.frameRate.rate.value
  const tracks = new Map<string, Array<Found>>()
  for (const entry of found) tracks.set(entry.track, [...(tracks.get(entry.track) ?? []), entry])
  return [...tracks.values()].some((entries) => {
    const sorted = entries.sort((a, b) => a.start - b.start)
    return sorted.some((entry, place) => {
      const next = sorted[place + 1]
      return next !== undefined && entry.end > next.start + tolerance
    })
  })
}
