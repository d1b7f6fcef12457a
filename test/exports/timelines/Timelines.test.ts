import { describe, expect, it } from "@effect/vitest"
import { type FrameRateName, frameRateNamed, pictureHolding } from "../../../src/domain/time/FrameRate.ts"
import { csv } from "../../../src/exports/timelines/Csv.ts"
import { edl } from "../../../src/exports/timelines/Edl.ts"
import { finalCutXml } from "../../../src/exports/timelines/FinalCutXml.ts"
import { audacityLabels } from "../../../src/exports/timelines/AudacityLabels.ts"
import { otio } from "../../../src/exports/timelines/Otio.ts"
import { pictureOf } from "../../../src/exports/text/Timecode.ts"
import { xmeml } from "../../../src/exports/timelines/Xmeml.ts"
import { dapt } from "../../../src/exports/scripts/Dapt.ts"
import { kdenlive } from "../../../src/exports/sessions/KdenliveProject.ts"
import { mlt } from "../../../src/exports/sessions/MltTimeline.ts"
import { reaperProject } from "../../../src/exports/sessions/ReaperProject.ts"
import { Timeline, TimelineClip, TimelineMedia, TimelineTrack } from "../../../src/domain/speech/Timeline.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
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

/** A video frame need not begin on a whole sample; plus floating-point error. */
const aSample = 0.5 + 1e-3

/** The scene over a film of 601.25 seconds, starting some way into its own timecode. */
const overFilm = (name: FrameRateName): Timeline => {
  const rate = frameRateNamed(name)
  const start = hour(rate)
  return Timeline.make({
    ...scene(rate, start),
    film: film(rate, start, Math.floor(601.25 * rate.rate.value))
  })
}

/** The timelines whose files are kept whole. Those of other frame rates are read by independent readers. */
const goldens = {
  "23.976": scene(frameRateNamed("23.976"), hour(frameRateNamed("23.976"))),
  "25": scene(frameRateNamed("25"), hour(frameRateNamed("25"))),
  "film.29.97df": overFilm("29.97df")
}

for (const [ending, write, read] of formats) {
  describe(ending, () => {
    for (const [name, rate] of rates) {
      const timeline = scene(rate, hour(rate))
      it(`is read by an independent reader with every cue exact to the sample at ${name}`, () => {
        const found = read(write(timeline), timeline)
        expect(samplesOff(timeline, found)).toBeLessThanOrEqual(aSample)
        expect(overlapping(timeline, found)).toBe(false)
      })
    }

    it.prop(
      "places every cue exactly to the sample, with any overlaps and any film",
      [anyTimeline],
      ([timeline]) => {
        const found = read(write(timeline), timeline)
        expect(samplesOff(timeline, found)).toBeLessThanOrEqual(aSample)
        expect(overlapping(timeline, found)).toBe(false)
      },
      { fastCheck: { numRuns: 40 } }
    )

    for (const [name, timeline] of Object.entries(goldens))
      it(`matches its golden file at ${name}`, async () => {
        await expect(write(timeline)).toMatchFileSnapshot(`golden/${name}/timeline.${ending}`)
      })

    it("accepts an empty timeline", () => {
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

  // 1,465 frames at 24 fps are 61.0416… seconds; rounded up to a millisecond, they would be 1,466 frames.
  it("is on the first tracks, exactly as long as the sequence", () => {
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

  it("without sound has no audio track", () => {
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

  it("has up to 999 events per list, and numbers each further list from 001", () => {
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
    it(`match their golden file at ${name}`, async () => {
      await expect(audacityLabels(scene(rate, 0))).toMatchFileSnapshot("golden/labels.txt")
    })
  }

  it("name a speaker once if the line itself begins with the name", () => {
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
  for (const [name, timeline] of Object.entries(goldens))
    it(`matches its golden file at ${name}`, async () => {
      await expect(csv(timeline)).toMatchFileSnapshot(`golden/${name}/timeline.csv`)
    })
})

describe("xml", () => {
  const [, rate] = rates.find(([name]) => name === "29.97df") ?? []

  it("keeps every word, even if it looks like markup", () => {
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

  it("accepts text with characters that XML forbids", () => {
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

  it("refers to files by relative URLs that decode to their paths", () => {
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

it("gives a speaker whose name has a full stop a role without double spaces in FCPXML", () => {
  const { tracks, ...rest } = scene(frameRateNamed("25"), 0)
  const named = Timeline.make({
    ...rest,
    tracks: tracks.map(({ clips }) => TimelineTrack.make({ name: "MRS. LAKE", clips }))
  })
  expect(textsAt(finalCutXml(named), "//@audioRole")[0]).toBe("dialogue.MRS LAKE")
})

describe("music and effects", () => {
  const rate = frameRateNamed("25")
  const sample = SampleRate.make(48_000)
  const bed = TimelineClip.make({
    cue: 0,
    name: "m&e.wav",
    media: TimelineMedia.make({
      path: "../../m&e.wav",
      rate: sample,
      depth: 24,
      channels: 2,
      // Half a video frame longer than the film.
      length: frames(15_000 * 1920 + 960),
      timeReference: frames(3_600 * 48_000)
    }),
    sourceIn: frames(0),
    at: millis(0),
    duration: millis(600_020),
    speed: 1,
    text: "",
    flags: []
  })
  const timeline = Timeline.make({
    ...scene(rate, 90_000),
    film: film(rate, 90_000, 15_000),
    background: TimelineTrack.make({ name: "Music and effects", clips: [bed] })
  })
  const { background: _, ...plain } = timeline

  it("have a track in OTIO, and the film's own sound is disabled", () => {
    interface Track {
      readonly name: string
      readonly kind: string
      readonly enabled: boolean
      readonly children: ReadonlyArray<{
        readonly source_range: { readonly duration: { readonly value: number } }
      }>
    }
    const { tracks }: { tracks: { children: ReadonlyArray<Track> } } = JSON.parse(otio(timeline))
    expect(tracks.children.slice(0, 4).map(({ name, enabled }) => [name, enabled])).toEqual([
      ["Film", true],
      ["Film sound", false],
      ["Music and effects", true],
      ["ANNA", true]
    ])
    expect(tracks.children[2]?.children[0]?.source_range.duration.value).toBe(15_000)
    expect(readOtio(otio(timeline))).toHaveLength(7)
  })

  it("have a track per channel in xmeml, and those of the film's own sound are disabled", () => {
    const text = xmeml(timeline)
    expect(textsAt(text, "//audio/track/enabled").slice(0, 5)).toEqual([
      "FALSE",
      "FALSE",
      "TRUE",
      "TRUE",
      "TRUE"
    ])
    expect(textsAt(text, "//audio/track[clipitem/name='m&e.wav']/clipitem/sourcetrack/trackindex")).toEqual([
      "1",
      "2"
    ])
    expect(textsAt(text, "//clipitem[name='m&e.wav']/end")).toEqual(["15000", "15000"])
    readXmeml(text)
  })

  it("are effects in FCPXML, and the film's own sound is disabled", () => {
    const text = finalCutXml(timeline)
    readFcpxml(text)
    expect(textsAt(text, "//spine/asset-clip/@srcEnable")).toEqual(["video"])
    expect(textsAt(text, "//asset-clip[@audioRole='effects']/@start")).toEqual(["3600s"])
    expect(textsAt(text, "//asset-clip[@audioRole='effects']/@duration")).toEqual(["600s"])
  })

  it("replace the film's own sound in an EDL", () => {
    const events = edl(timeline)
      .join("")
      .split("\n")
      .filter((line) => /^\d{3} /u.test(line))
    expect(events.slice(0, 3).map((line) => line.split(/ +/u).slice(2))).toEqual([
      ["V", "C", "01:00:00:00", "01:10:00:00", "01:00:00:00", "01:10:00:00"],
      ["AA", "C", "01:00:00:00", "01:10:00:00", "01:00:00:00", "01:10:00:00"],
      ["A3", "C", "00:00:01:00", "00:00:02:12", "01:00:01:00", "01:00:02:12"]
    ])
  })

  it("are no cues in tables, labels and scripts", () => {
    for (const write of [csv, audacityLabels, dapt]) expect(write(timeline)).toBe(write(Timeline.make(plain)))
  })

  it("have a track in projects, and the film's own sound is muted", () => {
    const reaper = reaperProject(timeline)
    expect(reaper).toContain('    NAME "Original"\n    VOLPAN 0 0')
    expect(reaper).toContain('    NAME "Music and effects"\n    VOLPAN 1 0')
    expect(reaper).toContain('        FILE "../../m&e.wav"\n')
    expect(textsAt(mlt(timeline), "//tractor/track[@producer='A1']/@hide")).toEqual(["both"])
    expect(textsAt(kdenlive(timeline), "//tractor[@id='original']/track/@hide")).toEqual(["both", "both"])
    for (const write of [mlt, kdenlive]) {
      expect(
        textsAt(write(timeline), "//playlist[property='Music and effects' or @id='voice1_a']/entry/@out")
      ).toEqual(["14999"])
      expect(textsAt(write(timeline), "//property[@name='resource']")).toContain("../../m&e.wav")
    }
  })
})
