/** DAPT scripts, read back by the parser of scripts. */
import { expect, it } from "@effect/vitest"
import { Either } from "effect"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { framesAt } from "../../../src/domain/time/Units.ts"
import { Timeline } from "../../../src/domain/speech/Timeline.ts"
import { dapt } from "../../../src/exports/scripts/Dapt.ts"
import { pictureStart } from "../../../src/exports/timelines/TimelineLanes.ts"
import { elementsNamed, parseXml } from "../../../src/script/formats/xml/XmlTree.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { anyTimeline, scene } from "../timelines/timelines.ts"

it("a script as recorded matches its golden file", async () => {
  const timeline = Timeline.make({ ...scene(frameRateNamed("25"), 0), language: "vi" })
  await expect(dapt(timeline)).toMatchFileSnapshot("golden/dapt.ttml")
})

it.prop("every line keeps its time, and links the samples that are heard", [anyTimeline], ([timeline]) => {
  const written = dapt(timeline)
  const { root, faults } = parseXml(written)
  expect(faults).toEqual([])
  const clips = timeline.tracks.flatMap((track) => track.clips).sort((a, b) => a.at - b.at || a.cue - b.cue)
  const sounds = root === undefined ? [] : elementsNamed(root, "audio")
  expect(sounds.map(({ attributes }) => decodeURI(attributes.get("src") ?? ""))).toEqual(
    clips.map(({ media }) => media.path)
  )
  clips.forEach(({ at, duration, media, sourceIn }, place) => {
    const from = sourceIn + framesAt(at, media.rate) - pictureStart(at, timeline.frameRate, media.rate)
    const begin = Number.parseFloat(sounds[place]?.attributes.get("clipBegin") ?? "") * media.rate
    const end = Number.parseFloat(sounds[place]?.attributes.get("clipEnd") ?? "") * media.rate
    expect(Math.abs(begin - from)).toBeLessThan(0.1)
    expect(Math.abs(end - begin - (duration * media.rate) / 1000)).toBeLessThan(0.1)
  })
  const script = readScript(new TextEncoder().encode(written), "a.ttml")
  const worded = clips.filter(({ text }) => text.trim() !== "")
  if (
    Either.isRight(script) &&
    script.right._tag === "Subtitle" &&
    script.right.cues.length === worded.length
  )
    expect(script.right.cues.map(({ start, end }) => [start, end])).toEqual(
      worded.map(({ at, duration }) => [at, at + duration])
    )
})
