import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { ratio } from "../../../../src/domain/time/Ratio.ts"
import { Micros } from "../../../../src/domain/time/Units.ts"
import { MediaInfo, VideoStream } from "../../../../src/ffmpeg/probe/MediaInfo.ts"
import type { Job } from "../../../../src/pipeline/load/Job.ts"
import { framesBeforeStart, timebaseOf } from "../../../../src/pipeline/plan/media/VideoTimebase.ts"

const film = (frameRate: readonly [number, number], timecode?: string): MediaInfo =>
  MediaInfo.make({
    path: "/film.mov",
    format: "mov",
    duration: Micros.make(1_000_000),
    ...(timecode === undefined ? {} : { timecode }),
    streams: [
      VideoStream.make({
        index: 0,
        codec: "h264",
        isDefault: true,
        attached: false,
        frameRate: ratio(...frameRate)
      })
    ]
  })

/** The first frame number and whether the timecode is drop-frame; or the fault. */
const counted = (timeline: Job["timeline"], video?: MediaInfo) =>
  Either.getOrElse(
    Either.map(timebaseOf({ timeline }, video), ({ startFrame, frameRate }) => [startFrame, frameRate.drop]),
    (fault) => fault
  )

describe("the timebase of a video", () => {
  it.each<readonly [string, Job["timeline"], MediaInfo | undefined, number, boolean]>([
    ["no film", {}, undefined, 0, false],
    ["a film without a timecode", {}, film([25, 1]), 0, false],
    ["a film's own timecode", {}, film([25, 1], "01:00:00:00"), 90_000, false],
    ["a drop-frame timecode", {}, film([30_000, 1001], "10:00:00;00"), 1_078_920, true],
    ["a non-drop timecode", {}, film([30_000, 1001], "10:00:00:00"), 1_080_000, false],
    ["a timecode at twice the rate", {}, film([60_000, 1001], "01:00:00;00"), 215_784, true],
    ["a drop-frame separator at a rate without drop-frame", {}, film([25, 1], "01:00:00;00"), 90_000, false],
    [
      "the manifest's start before the film's",
      { start: "02:00:00:00" },
      film([25, 1], "01:00:00:00"),
      180_000,
      false
    ],
    [
      "the manifest's frame rate, the film's start",
      { frameRate: "29.97" },
      film([30_000, 1001], "10:00:00;00"),
      1_080_000,
      false
    ],
    ["a rate other than the film's timecode's", { frameRate: "25" }, film([24, 1], "01:00:00:00"), 0, false],
    ["an invalid timecode", {}, film([25, 1], "01:00:00:25"), 0, false]
  ])("counts by %s", (_, timeline, video, startFrame, drop) => {
    expect(counted(timeline, video)).toEqual([startFrame, drop])
  })

  it("rejects a start in the manifest that is invalid at the film's rate", () => {
    expect(counted({ start: "01:00:00:25" }, film([25, 1]))).toMatch(
      /^timeline\.start: "01:00:00:25": expected/u
    )
  })

  it("stamps clips by the film's timecode, which runs slower than real time without drop-frame", () => {
    const reel = Either.getOrThrow(timebaseOf({ timeline: {} }, film([24_000, 1001], "01:00:00:00")))
    expect(framesBeforeStart(reel)).toBe(3_603.6 * 48_000)
  })
})
