/** Exports for audio and video editors: stems, timelines and projects. */
import { Array } from "effect"
import { avoidDeviceName } from "../../domain/values/FileName.ts"
import type { TimelineName } from "../../domain/manifest/Outputs.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import {
  Timeline,
  TimelineClip,
  TimelineFilm,
  TimelineMarker,
  TimelineMedia,
  TimelineTrack
} from "../../domain/speech/Timeline.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { deliveryRate, frames, framesAt, millis, millisAt } from "../../domain/time/Units.ts"
import { dapt } from "../../exports/scripts/Dapt.ts"
import { kdenlive } from "../../exports/sessions/KdenliveProject.ts"
import { mlt } from "../../exports/sessions/MltTimeline.ts"
import { reaperProject } from "../../exports/sessions/ReaperProject.ts"
import { decibelsOf } from "../../audio/pcm/Pcm.ts"
import { pictureStart } from "../../exports/timelines/TimelineLanes.ts"
import { audacityLabels } from "../../exports/timelines/AudacityLabels.ts"
import { csv } from "../../exports/timelines/Csv.ts"
import { edl } from "../../exports/timelines/Edl.ts"
import { finalCutXml } from "../../exports/timelines/FinalCutXml.ts"
import { otio } from "../../exports/timelines/Otio.ts"
import { xmeml } from "../../exports/timelines/Xmeml.ts"
import { clipFileName, fileLength, plainName, timeReferenceOf, placedText } from "./ClipFiles.ts"
import type { Stem } from "./MixEncoding.ts"
import { tagsFor, type OutputPlan, formatOf } from "./OutputPlan.ts"

/** Returns one WAV per speaker, each as long as the mix; lines without a speaker share one. */
export const stemsOf = (made: OutputPlan, pathOf: (name: string) => string): ReadonlyArray<Stem> => {
  const speakers = Array.dedupe(made.placements.map(({ speaker }) => speaker))
  const names = distinctNames(speakers.map((speaker) => avoidDeviceName(plainName(speaker ?? "voice"))))
  return Array.zipWith(speakers, names, (speaker, name) => ({
    speaker,
    sink: {
      path: pathOf(name),
      format: formatOf(made, "wav"),
      ...tagsFor({ ...made, background: undefined })
    }
  }))
}

/**
 * The texts of each timeline format. Paths of clips and film are relative to the job's folder. Only an EDL may need
 * more than one file.
 */
export const timelineTexts: Readonly<Record<TimelineName, (timeline: Timeline) => ReadonlyArray<string>>> = {
  otio: (timeline) => [otio(timeline)],
  fcpxml: (timeline) => [finalCutXml(timeline)],
  xml: (timeline) => [xmeml(timeline)],
  edl,
  labels: (timeline) => [audacityLabels(timeline)],
  csv: (timeline) => [csv(timeline)],
  dapt: (timeline) => [dapt(timeline)],
  reaper: (timeline) => [reaperProject(timeline)],
  mlt: (timeline) => [mlt(timeline)],
  kdenlive: (timeline) => [kdenlive(timeline)]
}

/** The parts of a background between its pauses, at their places in the film. */
const backgroundTrack = (
  { background, length, reel }: OutputPlan,
  relative: (file: string) => string
): TimelineTrack | undefined => {
  if (background === undefined) return undefined
  const { name, path, rate, bits, channels, timeReference = 0, gain, duck, pauses = [] } = background
  const heard = (length * rate) / deliveryRate
  let passed = 0
  const clips = [...pauses, { at: background.frames, length: 0 }].flatMap((pause, part) => {
    const from = part === 0 ? 0 : (pauses[part - 1]?.at ?? 0)
    const at = millisAt(frames(from + passed), rate)
    const end = millisAt(frames(Math.min(pause.at + passed, Math.floor(heard))), rate)
    passed += pause.length
    // Like a clip's, the source begins with the video frame.
    const lead = framesAt(at, rate) - pictureStart(at, reel.frameRate, rate)
    const sourceIn = frames(Math.max(0, Math.round(from - lead)))
    return end <= at ? [] : [{ at, duration: millis(end - at), sourceIn }]
  })
  const level = gain === 1 ? [] : [`${decibelsOf(gain).toFixed(1)} dB in the mix`]
  const text = ["Music and effects", ...level, ...(duck === undefined ? [] : ["lowered under speech"])].join(
    ", "
  )
  return TimelineTrack.make({
    name: "Music and effects",
    clips: clips.map((clip) =>
      TimelineClip.make({
        ...clip,
        cue: 0,
        name: name.split(/[/\\]/u).at(-1) ?? name,
        media: TimelineMedia.make({
          path: relative(path),
          rate,
          depth: bits,
          channels,
          length: frames(background.frames),
          timeReference: frames(timeReference)
        }),
        speed: 1,
        text,
        flags: []
      })
    )
  })
}

/**
 * Builds a job's timeline: the film, then one track per speaker, one clip per placement, and a marker per flagged
 * placement. `filmPath` is relative to the job's folder, as are the paths that `relative` returns.
 */
export const timelineOf = (
  made: OutputPlan,
  filmPath: string | undefined,
  relative: (file: string) => string
): Timeline => {
  const background = backgroundTrack(made, relative)
  const { job, placements, length, reel } = made
  const nameOf = ({ speaker }: Placement) => speaker ?? "voice"
  const textOf = placedText(made)
  const clipOf = (placement: Placement): TimelineClip =>
    TimelineClip.make(
      {
        cue: placement.lines[0].cue,
        name: clipFileName(placement),
        media: TimelineMedia.make(
          {
            path: `clips/${clipFileName(placement)}.wav`,
            rate: deliveryRate,
            depth: job.audio.depth ?? 16,
            channels: 1,
            length: fileLength(placement, reel),
            timeReference: timeReferenceOf(placement, reel)
          },
          skipValidation
        ),
        sourceIn: frames(0),
        at: placement.start,
        duration: millis(Math.max(1, placement.end - placement.start)),
        speed: placement.speed,
        text: textOf(placement),
        flags: placement.flags
      },
      skipValidation
    )
  return Timeline.make({
    name: job.id,
    ...(job.language === undefined ? {} : { language: job.language }),
    duration: millisAt(length, deliveryRate),
    ...(reel.film === undefined || filmPath === undefined
      ? {}
      : { film: TimelineFilm.make({ ...reel.film, path: filmPath }) }),
    ...(background === undefined ? {} : { background }),
    frameRate: reel.frameRate,
    startFrame: reel.startFrame,
    width: reel.width,
    height: reel.height,
    tracks: Array.dedupe(placements.map(nameOf)).map((name) =>
      TimelineTrack.make({
        name,
        clips: placements.filter((placement) => nameOf(placement) === name).map(clipOf)
      })
    ),
    markers: placements
      .filter(({ flags }) => flags.length > 0)
      .map((placement) =>
        TimelineMarker.make({
          at: placement.start,
          name: `${placement.lines[0].cue}: ${placement.flags.join(", ")}`,
          note: textOf(placement)
        })
      )
  })
}

/** Makes names distinct by appending numbers, also on case-insensitive file systems. */
const distinctNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Map<string, number>()
  return names.map((name) => {
    const count = (taken.get(name.toLowerCase()) ?? 0) + 1
    taken.set(name.toLowerCase(), count)
    return count === 1 ? name : `${name}_${count}`
  })
}
