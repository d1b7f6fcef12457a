import { describe, expect, it } from "@effect/vitest"
import { frameRateNamed, pictureAt } from "../../src/domain/FrameRate.ts"
import { csv } from "../../src/exports/Csv.ts"
import { edl } from "../../src/exports/Edl.ts"
import { finalCutXml } from "../../src/exports/FinalCutXml.ts"
import { labels } from "../../src/exports/Labels.ts"
import { otio } from "../../src/exports/Otio.ts"
import { pictureOf } from "../../src/exports/Timecode.ts"
import { xmeml } from "../../src/exports/Xmeml.ts"
import { Timeline, TimelineTrack } from "../../src/domain/Timeline.ts"
import { millis } from "../../src/domain/Units.ts"
import { readEdl, readFcpxml, readLabels, readOtio, readXmeml, textsAt } from "./readers.ts"
import { anyTimeline, clip, overlapping, rates, scene, worstError } from "./timelines.ts"
import { Either } from "effect"

const hour = (rate: Parameters<typeof scene>[0]): number => Either.getOrThrow(pictureOf("01:00:00:00", rate))

const formats = [
  ["otio", otio, readOtio],
  ["fcpxml", finalCutXml, readFcpxml],
  ["xml", xmeml, readXmeml],
  ["edl", edl, readEdl]
] as const

/** Half a picture, and what floating point adds. */
const half = 0.5 + 1e-6

for (const [ending, write, read] of formats) {
  describe(ending, () => {
    for (const [name, rate] of rates) {
      const timeline = scene(rate, hour(rate))
      it(`stands as it was at ${name}`, async () => {
        await expect(write(timeline)).toMatchFileSnapshot(`golden/${name}.${ending}`)
      })

      it(`is read by others within half a picture at ${name}`, () => {
        const found = read(write(timeline), timeline)
        expect(worstError(timeline, found)).toBeLessThanOrEqual(half)
        expect(overlapping(timeline, found)).toBe(false)
      })
    }

    it.prop(
      "places every cue within half a picture, whatever overlaps",
      [anyTimeline],
      ([timeline]) => {
        const found = read(write(timeline), timeline)
        expect(worstError(timeline, found)).toBeLessThanOrEqual(half)
        expect(overlapping(timeline, found)).toBe(false)
      },
      { fastCheck: { numRuns: 40 } }
    )

    it("holds an empty timeline", () => {
      const [, rate] = rates[0] ?? []
      if (rate === undefined) return
      const empty = Timeline.make({ ...scene(rate, 0), tracks: [], markers: [] })
      expect(read(write(empty), empty)).toEqual([])
    })
  })
}

describe("labels", () => {
  for (const [name, rate] of rates.slice(0, 1)) {
    it(`stand as they were at ${name}`, async () => {
      await expect(labels(scene(rate, 0))).toMatchFileSnapshot("golden/labels.txt")
    })
  }

  it("name a speaker once where the line itself begins with the name", () => {
    const rate = frameRateNamed("25")
    const said = clip(rate, 1, 1_000, 500, "Anna: Is it late?")
    const tracks = [TimelineTrack.make({ name: "ANNA", clips: [said] })]
    expect(labels(Timeline.make({ ...scene(rate, 0), tracks }))).toBe(
      "1.000000\t1.500000\tAnna: Is it late?\n"
    )
  })

  it.prop("are exact to the millisecond", [anyTimeline], ([timeline]) => {
    expect(worstError(timeline, readLabels(labels(timeline)))).toBeLessThan(1e-3)
  })
})

describe("csv", () => {
  for (const [name, rate] of rates) {
    it(`stands as it was at ${name}`, async () => {
      await expect(csv(scene(rate, hour(rate)))).toMatchFileSnapshot(`golden/${name}.csv`)
    })
  }
})

describe("xml", () => {
  const [, rate] = rates.find(([name]) => name === "29.97df") ?? []

  it("keeps every word, however much like markup it is", () => {
    if (rate === undefined) return
    const timeline = scene(rate, 0)
    const notes = [
      "Good evening. Is the ferry late?",
      "=SUM(A1)",
      "Across a minute",
      "Oh",
      'She talks over herself; "really", she does (speed 1.25) [overrun, fast]',
      "]]> & </note>",
      "At ten minutes"
    ]
    expect([...textsAt(finalCutXml(timeline), "//asset-clip/note")].sort()).toEqual([...notes].sort())
    expect([...textsAt(xmeml(timeline), "//mastercomment1")].sort()).toEqual([...notes].sort())
    expect(textsAt(finalCutXml(timeline), "//marker/@note")).toEqual(["lose 6 characters"])
    expect(textsAt(xmeml(timeline), "//sequence/marker/in")).toEqual([`${pictureAt(millis(3_001), rate)}`])
  })

  it("takes text that no XML may hold", () => {
    if (rate === undefined) return
    const timeline = scene(rate, 0)
    const words = "a\u0000b\u001F\uFFFE\uD800c\u0085d\n\t e"
    const odd = Timeline.make({
      ...timeline,
      tracks: [TimelineTrack.make({ name: "\u0001X", clips: [clip(rate, 1, 0, 1_000, words)] })],
      markers: []
    })
    for (const write of [finalCutXml, xmeml]) {
      expect(textsAt(write(odd), "//*[self::note or self::mastercomment1]")).toEqual(["abc d e"])
    }
    expect(edl(odd)).toContain("* COMMENT: abc d e\n")
  })

  it("points at files beside it, by a URL that can be taken apart again", () => {
    if (rate === undefined) return
    const paths = scene(rate, 0)
      .tracks.flatMap(({ clips }) => clips.map(({ media }) => media.path))
      .sort()
    for (const [write, path] of [
      [finalCutXml, "//media-rep/@src"],
      [xmeml, "//file/pathurl"]
    ] as const) {
      const urls = textsAt(write(scene(rate, 0)), path)
      expect(urls.map((url) => decodeURIComponent(url)).sort()).toEqual(paths)
      for (const url of urls) expect(url).toMatch(/^clips\/[\w%.'()*!~-]+$/u)
    }
  })
})
