/** What an editor takes over: stems, clips and timelines. */
import { Path } from "@effect/platform"
import { Array, Effect } from "effect"
import type { Room } from "../audio/Rooms.ts"
import { resampled } from "../audio/Resample.ts"
import { encodeWav16 } from "../audio/Wav.ts"
import { notDevice } from "../domain/FileName.ts"
import type { TimelineName } from "../domain/Outputs.ts"
import type { Placement } from "../domain/Placement.ts"
import { Timeline, TimelineClip, TimelineMarker, TimelineMedia, TimelineTrack } from "../domain/Timeline.ts"
import { unchecked } from "../domain/Unchecked.ts"
import {
  deliveryRate,
  type Frames,
  frames,
  framesAt,
  framesBetween,
  millis,
  millisAt,
  type SampleRate
} from "../domain/Units.ts"
import { csv } from "../exports/Csv.ts"
import { edl } from "../exports/Edl.ts"
import { finalCutXml } from "../exports/FinalCutXml.ts"
import { framesUnder } from "../exports/Lanes.ts"
import { labels } from "../exports/Labels.ts"
import { otio } from "../exports/Otio.ts"
import { xmeml } from "../exports/Xmeml.ts"
import { about, type Deliverable, formatOf } from "./Deliverable.ts"
import { inRooms } from "./InRooms.ts"
import { limited } from "./Levelling.ts"
import type { Level, Stem } from "./Master.ts"
import { type Programme, spoken } from "./Mixdown.ts"
import { framesBeforeStart, type Reel } from "./Reel.ts"
import { openFolder, writeResult } from "./ResultFolder.ts"

/** One WAV a speaker, each as long as the whole; lines without a speaker share one. */
export const stemsOf = (made: Deliverable, pathOf: (name: string) => string): ReadonlyArray<Stem> => {
  const speakers = Array.dedupe(made.placements.map(({ speaker }) => speaker))
  const names = distinctNames(speakers.map((speaker) => notDevice(plainName(speaker ?? "voice"))))
  return Array.zipWith(speakers, names, (speaker, name) => ({
    speaker,
    sink: { path: pathOf(name), format: formatOf(made, "wav"), ...about(made) }
  }))
}

/** Clips that are being written while the next is made. */
const writtenAtOnce = 4

/** One Broadcast Wave a placement, named by its cue, speaker and time, as loud as in the mix, with its timecode in it. */
export const deliverClips = Effect.fnUntraced(function* (
  made: Deliverable,
  programme: Programme,
  { gain, peak }: Level,
  folder: string
) {
  const path = yield* Path.Path
  yield* openFolder(folder)
  const { rate } = programme
  const clipOf = Effect.fnUntraced(function* (placement: Placement, room: Room) {
    // At the rate of the mix first: sped up at another, it would be cut elsewhere, and not fit over the mix.
    const speech = yield* spoken(programme, placement, spokenLength(placement, rate), room)
    const { samples: at48 } = resampled({ rate, samples: speech }, deliveryRate, room)
    const samples = limited(at48, deliveryRate, gain, peak, fileLength(placement, made.reel), room)
    return encodeWav16(
      { rate: deliveryRate, samples },
      { timeReference: timeReferenceOf(placement, made.reel), originator: "dubwright" }
    )
  })
  return yield* Effect.forEach(
    made.placements,
    Effect.fnUntraced(function* (placement) {
      const file = path.join(folder, `${clipName(placement)}.wav`)
      yield* writeResult(file, yield* inRooms((room) => clipOf(placement, room)))
      return file
    }),
    { concurrency: writtenAtOnce }
  )
})

const spokenLength = ({ start, end }: Placement, rate: SampleRate): Frames =>
  framesBetween(framesAt(start, rate), framesAt(end, rate))

/** How long a clip's file is: it ends in silence where its last picture does. */
const fileLength = (placement: Placement, { frameRate }: Reel): Frames =>
  frames(Math.max(spokenLength(placement, deliveryRate), framesUnder(placement, frameRate, deliveryRate)))

/** Where a clip's first frame stands, in frames at 48 kHz since midnight of the film's timecode. */
const timeReferenceOf = ({ start }: Placement, reel: Reel): Frames =>
  frames(framesAt(start, deliveryRate) + framesBeforeStart(reel))

/** The timelines of a job, each as its text: clips are named relative to the job's folder, which can be moved. */
export const timelineTexts: Readonly<
  Record<TimelineName, { readonly ending: string; readonly text: (timeline: Timeline) => string }>
> = {
  otio: { ending: "otio", text: otio },
  fcpxml: { ending: "fcpxml", text: finalCutXml },
  xml: { ending: "xml", text: xmeml },
  edl: { ending: "edl", text: edl },
  labels: { ending: "labels.txt", text: labels },
  csv: { ending: "csv", text: csv }
}

/** A job as an editor's timeline: a track a speaker, a clip a placement, a marker where something is flagged. */
export const timelineOf = ({ job, placements, entries, length, reel }: Deliverable): Timeline => {
  const texts = new Map(entries.map(({ index, text }) => [index, text]))
  const nameOf = ({ speaker }: Placement) => speaker ?? "voice"
  const textOf = ({ lines }: Placement) =>
    Array.dedupe(lines.flatMap(({ cue }) => texts.get(cue) ?? [])).join(" ")
  const clipOf = (placement: Placement): TimelineClip =>
    TimelineClip.make(
      {
        cue: placement.lines[0].cue,
        name: clipName(placement),
        media: TimelineMedia.make(
          {
            path: `clips/${clipName(placement)}.wav`,
            rate: deliveryRate,
            channels: 1,
            length: fileLength(placement, reel),
            timeReference: timeReferenceOf(placement, reel)
          },
          unchecked
        ),
        sourceIn: frames(0),
        at: placement.start,
        duration: millis(Math.max(1, placement.end - placement.start)),
        speed: placement.speed,
        text: textOf(placement),
        flags: placement.flags
      },
      unchecked
    )
  return Timeline.make({
    name: job.id,
    duration: millisAt(length, deliveryRate),
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

/** `0001_ANNA_00-00-01-000`: the cue, its part where it has several, the speaker, and when it is heard. */
export const clipName = ({ lines: [line], speaker, start }: Placement): string => {
  const number = `${line.cue}`.padStart(4, "0")
  const part = line.part === 0 ? "" : `.${line.part + 1}`
  const clock = new Date(start % 86_400_000).toISOString().slice(14, 23).replaceAll(/[:.]/gu, "-")
  const hours = `${Math.floor(start / 3_600_000)}`.padStart(2, "0")
  return `${number}${part}_${plainName(speaker ?? "voice")}_${hours}-${clock}`
}

/** The names, with a number behind those that are taken already, also on disks that do not tell A from a. */
const distinctNames = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Map<string, number>()
  return names.map((name) => {
    const count = (taken.get(name.toLowerCase()) ?? 0) + 1
    taken.set(name.toLowerCase(), count)
    return count === 1 ? name : `${name}_${count}`
  })
}

/** A part of a file's name that every file system takes. */
const plainName = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60)
    // Half of a character that was cut through.
    .replace(/\p{Cs}$/u, "") || "voice"
