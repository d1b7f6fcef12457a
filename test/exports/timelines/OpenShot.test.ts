/** Imports timelines through OpenShot's importers, which run without its user interface. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import type { FrameRate } from "../../../src/domain/time/FrameRate.ts"
import { Timeline } from "../../../src/domain/speech/Timeline.ts"
import { edl } from "../../../src/exports/timelines/Edl.ts"
import { pictureOf } from "../../../src/exports/text/Timecode.ts"
import { xmeml } from "../../../src/exports/timelines/Xmeml.ts"
import { anyTimeline, type Found, overlapping, rates, samplesOff, scene } from "./timelines.ts"

const openshot = process.env["DUBWRIGHT_OPENSHOT"] ?? "/usr/lib/python3/dist-packages/openshot_qt"

const Imported = Schema.parseJson(
  Schema.Array(
    Schema.Array(
      Schema.Struct({
        title: Schema.String,
        layer: Schema.Number,
        position: Schema.Number,
        start: Schema.Number,
        end: Schema.Number
      })
    )
  )
)

interface Written {
  readonly text: string
  readonly ending: "edl" | "xml"
  readonly frameRate: FrameRate
}

/** Returns the clips on OpenShot's timeline after importing each file, in seconds. */
const imported = (files: ReadonlyArray<Written>): ReadonlyArray<ReadonlyArray<Found>> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-openshot-"))
  try {
    const asked = files.map(({ text, ending, frameRate: { rate } }, place) => {
      const path = join(folder, `${place}.${ending}`)
      writeFileSync(path, text)
      return { path, num: rate.numerator, den: rate.denominator }
    })
    const { stdout, stderr, status } = spawnSync(
      "python3",
      [join(import.meta.dirname, "openshot.py"), openshot],
      { input: JSON.stringify(asked), encoding: "utf8", maxBuffer: 1 << 26 }
    )
    if (status !== 0) throw new Error(stderr)
    return Schema.decodeSync(Imported)(stdout).map((clips) =>
      // The film's own clip has no number in its name.
      clips
        .filter(({ title }) => /^\d/u.test(title))
        .map(({ title, layer, position, start, end }) => ({
          cue: Number(/^\d+/u.exec(title)?.[0]),
          start: position,
          end: position + end - start,
          track: `${layer}`
        }))
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A video frame need not begin on a whole sample; plus floating-point error. */
const aSample = 0.5 + 1e-3

describe.skipIf(!existsSync(openshot))(
  "OpenShot's importers (skipped without OpenShot; DUBWRIGHT_OPENSHOT names its package's folder)",
  () => {
    it("place every cue of the Final Cut 7 XML exactly to the sample at every rate", () => {
      const timelines = [
        ...rates.map(([, rate]) => scene(rate, Either.getOrThrow(pictureOf("01:00:00:00", rate)))),
        ...fc.sample(anyTimeline, { numRuns: 200, seed: 7 })
      ]
      const found = imported(
        timelines.map((timeline) => ({
          text: xmeml(timeline),
          ending: "xml",
          frameRate: timeline.frameRate
        }))
      )
      for (const [place, timeline] of timelines.entries()) {
        const clips = found[place] ?? []
        expect(samplesOff(timeline, clips)).toBeLessThanOrEqual(aSample)
        expect(overlapping(timeline, clips)).toBe(false)
      }
    })

    // The importer reads timecode as clock time, which is right at whole rates only, and only the first channel of a
    // list.
    it("place every cue of a speaker's EDL exactly to the sample at whole rates", () => {
      const timelines = rates
        .filter(([, { rate }]) => rate.denominator === 1)
        .flatMap(([, rate]) =>
          scene(rate, 0)
            .tracks.filter(({ name }) => name === "BO.2")
            .map((track) => Timeline.make({ ...scene(rate, 0), tracks: [track] }))
        )
      const found = imported(
        timelines.map((timeline) => ({
          text: edl(timeline).join(""),
          ending: "edl",
          frameRate: timeline.frameRate
        }))
      )
      expect(found.map((clips) => clips.length)).toEqual(timelines.map(() => 2))
      for (const [place, timeline] of timelines.entries())
        expect(samplesOff(timeline, found[place] ?? [])).toBeLessThanOrEqual(aSample)
    })
  }
)
