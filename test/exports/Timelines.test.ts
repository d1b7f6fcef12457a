import { describe, expect, it } from "@effect/vitest"
import { type FrameRateName, frameRateNamed, pictureHolding } from "../../src/domain/time/FrameRate.ts"
import { csv } from "../../src/exports/Csv.ts"
import { edl } from "../../src/exports/Edl.ts"
import { finalCutXml } from "../../src/exports/FinalCutXml.ts"
import { audacityLabels } from "../../src/exports/AudacityLabels.ts"
import { otio } from "../../src/exports/Otio.ts"
import { pictureOf } from "../../src/exports/Timecode.ts"
import { xmeml } from "../../src/exports/Xmeml.ts"
import { Timeline, TimelineTrack } from "../../src/domain/speech/Timeline.ts"
import { millis } from "../../src/domain/time/Units.ts"
import { readEdl, readFcpxml, readLabels, readOtio, readXmeml, textsAt } from "./readers.ts"
import { anyTimeline, clip, film, overlapping, rates, samplesOff, scene, worstError } from "./timelines.ts"
import { Either } from "effect"

const hour = (rate: Parameters<typeof scene>[0]): number => Either.getOrThrow(pictureOf("01:00:00:00", rate))

const formats = [
  ["otio", otio, readOtio],
  ["fcpxml", finalCutXml, readFcpxml],
  ["xml", xmeml, readXmeml],
  ["edl", (timeline: Timeline) => edl(timeline).join("\n"), readEdl]
] as const

/** A picture's first frame need not be a whole sample; and what floating point adds. */
const aSample = 0.5 + 1e-3

/** The scene over a film of 601.25 seconds, and some way into its own timecode. */
const overFilm = (name: FrameRateName): Timeline => {
  const rate = frameRateNamed(name)
  const start = hour(rate)
  return Timeline.make({
    ...scene(rate, start),
    film: film(rate, start, Math.floor(601.25 * rate.rate.value))
  })
}

for (const [ending, write, read] of formats) {
  describe(ending, () => {
    for (const [name, rate] of rates) {
      const timeline = scene(rate, hour(rate))
      it(`stands as it was at ${name}`, async () => {
        await expect(write(timeline)).toMatchFileSnapshot(`golden/${name}/timeline.${ending}`)
      })

      it(`is read by others with every cue heard to the sample at ${name}`, () => {
        const found = read(write(timeline), timeline)
        expect(samplesOff(timeline, found)).toBeLessThanOrEqual(aSample)
        expect(overlapping(timeline, found)).toBe(false)
      })
    }

    it.prop(
      "has every cue heard to the sample, whatever overlaps, over any film",
      [anyTimeline],
      ([timeline]) => {
        const found = read(write(timeline), timeline)
        expect(samplesOff(timeline, found)).toBeLessThanOrEqual(aSample)
        expect(overlapping(timeline, found)).toBe(false)
      },
      { fastCheck: { numRuns: 40 } }
    )

    for (const name of ["25", "29.97df"] as const)
      it(`stands as it was over a film at ${name}`, async () => {
        await expect(write(overFilm(name))).toMatchFileSnapshot(`golden/film.${name}/timeline.${ending}`)
      })

    it("holds an empty timeline", () => {
      const [, rate] = rates[0] ?? []
      if (rate === undefined) return
      const empty = Timeline.make({ ...scene(rate, 0), tracks: [], markers: [] })
      expect(read(write(empty), empty)).toEqual([])
    })
  })
}

describe("a film", () => {
  const lengths = {
    otio: (text: string) =>
      [
        ...text.matchAll(
          /"name": "(Film|Film sound)",\s+"kind": "(\w+)"[^]*?"duration": \{[^}]*?"value": (\d+)/gu
        )
      ].map(([, , kind, pictures]) => `${kind} ${pictures}`),
    xml: (text: string) => [
      ...textsAt(text, "//sequence/duration"),
      ...textsAt(text, "//video/track/clipitem/end").map((end) => `V ${end}`),
      ...textsAt(text, "//audio/track/clipitem[starts-with(name, 'ph')]/end").map((end) => `A ${end}`)
    ],
    fcpxml: (text: string) => [
      ...textsAt(text, "//sequence/@duration"),
      ...textsAt(text, "//spine/asset-clip/@duration")
    ],
    edl: (text: string) =>
      [...text.matchAll(/^\d{3} {2}AX +([VA]) +C +(.*)\n\* FROM CLIP NAME: ph/gmu)].map(
        ([, track, times]) => `${track} ${times}`
      )
  }

  // 1,465 pictures at 24 are 61.0416… seconds: rounded up to a millisecond they were 1,466.
  it("is on the first tracks, as long as the sequence: not a picture more", () => {
    const rate = frameRateNamed("24")
    const timeline = Timeline.make({
      ...scene(rate, 0),
      tracks: [TimelineTrack.make({ name: "ANNA", clips: [clip(rate, 1, 61_000, 100, "Past its end")] })],
      duration: millis(61_042),
      film: film(rate, 24, 1_465)
    })
    expect(lengths.otio(otio(timeline))).toEqual(["Video 1465", "Audio 1465"])
    expect(lengths.xml(xmeml(timeline))).toEqual(["1465", "V 1465", "A 1465", "A 1465"])
    expect(lengths.fcpxml(finalCutXml(timeline))).toEqual(["1465/24s", "1465/24s"])
    const times = "00:00:01:00 00:01:02:01 00:00:00:00 00:01:01:01"
    expect(lengths.edl(edl(timeline).join(""))).toEqual([`V ${times}`, `A ${times}`])
  })

  it("without sound has no sound track", () => {
    const rate = frameRateNamed("25")
    const silent = Timeline.make({ ...scene(rate, 0), film: film(rate, 0, 16_000, 0) })
    expect(lengths.otio(otio(silent))).toEqual(["Video 16000"])
    expect(lengths.xml(xmeml(silent))).toEqual(["16000", "V 16000"])
    expect(lengths.edl(edl(silent).join(""))).toHaveLength(1)
    expect(edl(silent).join("")).toContain("002  AX       A     C")
  })
})

describe("edl", () => {
  const rate = frameRateNamed("25")
  const of = (count: number) =>
    Timeline.make({
      ...scene(rate, 0),
      name: "long",
      tracks: [
        TimelineTrack.make({
          name: "ANNA",
          clips: Array.from({ length: count }, (_, place) =>
            clip(rate, place + 1, place * 1_000, 900, `words of ${place + 1}`)
          )
        })
      ]
    })
  const numbers = (list: string) => [...list.matchAll(/^(\d+) {2}AX/gmu)].map(([, number]) => number)

  it("has up to 999 events in one list, and begins further lists at 001", () => {
    expect(edl(of(999)).map((list) => numbers(list).length)).toEqual([999])
    const lists = edl(of(2_000))
    expect(lists.map((list) => numbers(list).length)).toEqual([999, 999, 2])
    for (const list of lists) expect(numbers(list)[0]).toBe("001")
    for (const list of lists) expect(numbers(list).every((number) => number?.length === 3)).toBe(true)
    expect(lists.map((list) => /^TITLE: (.*)$/mu.exec(list)?.[1])).toEqual(["long", "long-2", "long-3"])
    expect(lists[2]).toContain("* FROM CLIP NAME: 1999 ")
  })
})

describe("labels", () => {
  for (const [name, rate] of rates.slice(0, 1)) {
    it(`stand as they were at ${name}`, async () => {
      await expect(audacityLabels(scene(rate, 0))).toMatchFileSnapshot("golden/labels.txt")
    })
  }

  it("name a speaker once where the line itself begins with the name", () => {
    const rate = frameRateNamed("25")
    const said = clip(rate, 1, 1_000, 500, "Anna: Is it late?")
    const tracks = [TimelineTrack.make({ name: "ANNA", clips: [said] })]
    expect(audacityLabels(Timeline.make({ ...scene(rate, 0), tracks }))).toBe(
      "1.000000\t1.500000\tAnna: Is it late?\n"
    )
  })

  it.prop("are exact to the millisecond", [anyTimeline], ([timeline]) => {
    expect(worstError(timeline, readLabels(audacityLabels(timeline)))).toBeLessThan(1e-3)
  })
})

describe("csv", () => {
  for (const [name, rate] of rates) {
    it(`stands as it was at ${name}`, async () => {
      await expect(csv(scene(rate, hour(rate)))).toMatchFileSnapshot(`golden/${name}/timeline.csv`)
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
    expect(textsAt(xmeml(timeline), "//sequence/marker/in")).toEqual([
      `${pictureHolding(millis(3_001), rate)}`
    ])
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
    expect(edl(odd).join("")).toContain("* COMMENT: abc d e\n")
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
