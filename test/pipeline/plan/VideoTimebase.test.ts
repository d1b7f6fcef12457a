import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { ratio } from "../../../src/domain/time/Ratio.ts"
import { Micros } from "../../../src/domain/time/Units.ts"
import { MediaInfo, VideoStream } from "../../../src/ffmpeg/probe/MediaInfo.ts"
import type { Job } from "../../../src/pipeline/load/Job.ts"
import { framesBeforeStart, timebaseOf } from "../../../src/pipeline/plan/VideoTimebase.ts"

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

/** The number of the first picture and whether numbers are dropped; or what is wrong. */
const counted = (timeline: Job["timeline"], video?: MediaInfo) =>
  Either.getOrElse(
    Either.map(timebaseOf({ timeline }, video), ({ startFrame, frameRate }) => [startFrame, frameRate.drop]),
    (fault) => fault
  )

describe("reelOf", () => {
  it.each<readonly [string, Job["timeline"], MediaInfo | undefined, number, boolean]>([
    ["no film", {}, undefined, 0, false],
    ["a film without a timecode", {}, film([25, 1]), 0, false],
    ["a film's own timecode", {}, film([25, 1], "01:00:00:00"), 90_000, false],
    ["one that drops numbers", {}, film([30_000, 1001], "10:00:00;00"), 1_078_920, true],
    ["one that drops none", {}, film([30_000, 1001], "10:00:00:00"), 1_080_000, false],
    ["one at twice the rate", {}, film([60_000, 1001], "01:00:00;00"), 215_784, true],
    ["a semicolon where no numbers are dropped", {}, film([25, 1], "01:00:00;00"), 90_000, false],
    [
      "the manifest's start before the film's",
      { start: "02:00:00:00" },
      film([25, 1], "01:00:00:00"),
      180_000,
      false
    ],
    [
      "the manifest's counting, the film's start",
      { frameRate: "29.97" },
      film([30_000, 1001], "10:00:00;00"),
      1_080_000,
      false
    ],
    [
      "a rate that the film's timecode does not count",
      { frameRate: "25" },
      film([24, 1], "01:00:00:00"),
      0,
      false
    ],
    ["a timecode that cannot be", {}, film([25, 1], "01:00:00:25"), 0, false]
  ])("counts by %s", (_, timeline, video, startFrame, drop) => {
    expect(counted(timeline, video)).toEqual([startFrame, drop])
  })

  it("refuses a start in the manifest that does not exist at the film's rate", () => {
    expect(counted({ start: "01:00:00:25" }, film([25, 1]))).toMatch(
      /^timeline\.start: "01:00:00:25": expected/u
    )
  })

  it("stamps clips by the clock on the film, which runs slower than the day's without dropped numbers", () => {
    const reel = Either.getOrThrow(timebaseOf({ timeline: {} }, film([24_000, 1001], "01:00:00:00")))
    expect(framesBeforeStart(reel)).toBe(3_603.6 * 48_000)
  })
})
