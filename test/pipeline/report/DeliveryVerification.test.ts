import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { LevelTrack } from "../../../src/audio/speech/OnsetDetection.ts"
import { JobId } from "../../../src/domain/values/Ids.ts"
import type { CueReport, JobReport } from "../../../src/domain/report/Report.ts"
import { verificationOf, verifyJob } from "../../../src/pipeline/report/DeliveryVerification.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { plainFolder } from "../../ffmpeg/media.ts"
import { sampleMetrics } from "../../pages/sample.ts"

const rate = 16_000

/** A programme with tones at these times in milliseconds, and silence elsewhere. */
const soundOf = (seconds: number, tones: ReadonlyArray<readonly [number, number]>): Float32Array => {
  const samples = new Float32Array(seconds * rate)
  for (const [from, to] of tones)
    for (let i = (from * rate) / 1000; i < (to * rate) / 1000; i++) samples[i] = 0.3 * Math.sin(i / 5)
  return samples
}

const levels = (seconds: number, tones: ReadonlyArray<readonly [number, number]>): Float32Array => {
  const samples = soundOf(seconds, tones)
  const track = new LevelTrack(rate)
  for (let at = 0; at < samples.length; at += 1000) track.push(samples.subarray(at, at + 1000))
  return track.track()
}

const cue = (index: number, start: number, end: number): CueReport => ({
  index,
  start: start / 1000,
  end: end / 1000,
  text: "",
  status: "spoken",
  placed: { start: start / 1000, end: end / 1000, speed: 1 },
  flags: []
})

const reportOf = (cues: ReadonlyArray<CueReport>): JobReport => ({
  job: "film",
  input: "film.srt",
  duration: 10,
  cues,
  metrics: sampleMetrics
})

const verify = (cues: ReadonlyArray<CueReport>, tones: ReadonlyArray<readonly [number, number]>) =>
  verificationOf(JobId.make("film"), "film.wav", reportOf(cues), levels(10, tones), 0)

describe("verification", () => {
  it("reports cues after the end of a truncated file as missing", () => {
    const verified = verify(
      [cue(1, 1000, 2000), cue(2, 9000, 14_000), cue(3, 12_000, 13_000)],
      [
        [1000, 2000],
        [9000, 9500]
      ]
    )
    expect(verified.cues.map(({ verdict }) => verdict)).toEqual(["on-time", "missing", "missing"])
  })

  it("distinguishes speech that is on time, off, joined to other speech, and missing", () => {
    const verified = verify(
      [cue(1, 1000, 2000), cue(2, 3000, 4000), cue(3, 4000, 5000), cue(4, 6000, 7000), cue(5, 8000, 9000)],
      [
        [1000, 2000],
        [3200, 4000],
        [4000, 5000],
        [8000, 9000]
      ]
    )
    expect(verified.cues.map(({ index, error, verdict }) => [index, error, verdict])).toEqual([
      [1, 0, "on-time"],
      [2, 200, "off"],
      [3, undefined, "joined"],
      [4, undefined, "missing"],
      [5, 0, "on-time"]
    ])
    expect([verified.missing, verified.off]).toEqual([1, 1])
  })

  it("does not judge an onset masked by other speech", () => {
    const verified = verify(
      [cue(1, 1000, 3000), cue(2, 2800, 4000)],
      [
        [1000, 2600],
        [2680, 4000]
      ]
    )
    expect(verified.cues.map(({ verdict }) => verdict)).toEqual(["on-time", "joined"])
  })

  it("reports drift in milliseconds per hour", () => {
    const starts = [1000, 3000, 5000, 7000]
    const verified = verify(
      starts.map((start, i) => cue(i + 1, start, start + 900)),
      starts.map((start, i) => [start + 5 * i, start + 900])
    )
    // 5 ms more every 2 s.
    expect(verified.drift).toBe(9000)
  })

  it("reports no drift if it is too small over the whole film to be measured", () => {
    const starts = Array.from({ length: 20 }, (_, i) => 500 * i + 100)
    const verified = verify(
      starts.map((start, i) => cue(i + 1, start, start + 300)),
      starts.map((start, i) => [start + (i < 10 ? 0 : 5), start + 300])
    )
    expect([verified.cues.at(-1)?.error, verified.drift]).toEqual([5, 0])
  })

  it("reports no drift for random errors, whatever their slope", () => {
    const starts = [1000, 3000, 5000, 7000, 9000]
    const late = [0, 10, 0, 0, 10]
    const verified = verify(
      starts.map((start, i) => cue(i + 1, start, start + 900)),
      starts.map((start, i) => [start + (late[i] ?? 0), start + 900])
    )
    expect(verified.cues.map(({ error }) => error)).toEqual(late)
    expect(verified.drift).toBe(0)
  })

  it.prop(
    "never reports speech at its reported time as off or missing",
    [
      fc.array(fc.tuple(fc.integer({ min: 20, max: 200 }), fc.integer({ min: 10, max: 150 })), {
        maxLength: 15
      })
    ],
    ([drawn]) => {
      let at = 0
      const tones = drawn.map(([pause, length]): [number, number] => {
        const from = at + pause * 5
        at = from + length * 5
        return [from, at]
      })
      const seconds = Math.ceil(at / 1000) + 1
      const cues = tones.map(([from, to], i) => cue(i + 1, from, to))
      const verified = verificationOf(JobId.make("film"), "f", reportOf(cues), levels(seconds, tones), 0)
      expect(verified.cues.map(({ verdict, error }) => [verdict, error])).toEqual(
        cues.map(() => ["on-time", 0])
      )
    }
  )
})

it.scopedLive("measures onsets under music in the stems, and says that it did or why it cannot", () =>
  Effect.gen(function* () {
    const out = yield* plainFolder
    const folder = join(out, "film")
    mkdirSync(join(folder, "stems"), { recursive: true })
    const write = (name: string, samples: Float32Array) =>
      writeFileSync(join(folder, name), encodeWav16({ rate: SampleRate.make(rate), samples }))
    writeFileSync(
      join(folder, "report.json"),
      JSON.stringify(reportOf([cue(1, 1000, 2000), cue(2, 3000, 4000), cue(3, 6000, 7000)]))
    )
    write("film.wav", soundOf(10, [[0, 10_000]]))
    write("stems/ANNA.wav", soundOf(10, [[1000, 2000]]))
    write("stems/BEN.wav", soundOf(10, [[3200, 4000]]))
    const id = JobId.make("film")
    const background = { path: "bed.wav", name: "bed.wav", gain: 0 }
    const withStems = yield* verifyJob(out, { id, outputs: ["wav", "stems"], background })
    expect(withStems.cues.map(({ error, verdict }) => [error, verdict])).toEqual([
      [0, "on-time"],
      [200, "off"],
      [undefined, "missing"]
    ])
    expect(withStems.note).toContain("measured in the stems")
    const without = yield* verifyJob(out, { id, outputs: ["wav"], background })
    expect(without.note).toContain("add stems to the job's outputs")
    expect((yield* verifyJob(out, { id, outputs: ["wav", "stems"] })).note).toBeUndefined()
  }).pipe(Effect.provide([bundledFfmpeg, NodeContext.layer]))
)
