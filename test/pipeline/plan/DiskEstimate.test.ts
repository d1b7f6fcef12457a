/** The estimated disk space of a run. */
import { describe, expect, test } from "vitest"
import { diskNeed, type Footprint, resultBytes } from "../../../src/pipeline/plan/DiskEstimate.ts"

/** An hour with ten minutes of speech by two speakers, and a film of 1 GB with stereo sound. */
const hour: Footprint = {
  outputs: ["wav"],
  audio: {},
  original: "keep",
  seconds: 3600,
  speech: 600,
  stems: 2,
  stereo: false,
  bed: 0,
  cues: 0,
  film: { bytes: 1e9, channels: 2 }
}
const wav = 3600 * 48_000 * 2
const page = resultBytes({ ...hour, outputs: ["srt"] })

describe("the size of a job's results includes", () => {
  test.each<[string, Partial<Footprint>, number]>([
    ["a WAV's samples", {}, wav],
    ["more for stereo and greater bit depth", { stereo: true, audio: { depth: 24, rate: 96_000 } }, wav * 6],
    ["a stem for each speaker", { outputs: ["wav", "stems"] }, wav * 3],
    ["clips as long as the speech", { outputs: ["clips"] }, 600 * 48_000 * 2],
    ["clips for an editor's timeline, too", { outputs: ["edl"] }, 600 * 48_000 * 2],
    ["an MP3 at its bit rate", { outputs: ["mp3"], audio: { bitrate: 128 } }, (3600 * 128_000) / 8],
    ["the film and a track in AAC", { outputs: ["mp4"] }, 1e9 + (3600 * 96_000) / 8],
    [
      "a stereo track if the film's sound is mixed in",
      { outputs: ["mp4"], original: "duck" },
      1e9 + (3600 * 192_000) / 8
    ],
    ["the film and a lossless track in MKV", { outputs: ["mkv"] }, 1e9 + wav * 0.65]
  ])("%s", (_, job, bytes) => {
    expect(resultBytes({ ...hour, ...job })).toBe(bytes + page)
  })
})

describe("a run needs disk space", () => {
  test("for each job's results", () => {
    const one = resultBytes(hour)
    expect(diskNeed([{ footprint: hour, present: 0 }])).toBe(one)
    expect(diskNeed([hour, hour].map((footprint) => ({ footprint, present: 0 })))).toBe(2 * one)
  })

  test("for the largest result twice if all exist, since each is written beside the one it replaces", () => {
    const one = resultBytes(hour)
    expect(diskNeed([hour, hour].map((footprint) => ({ footprint, present: one })))).toBe(one)
  })

  test.each<[Partial<Footprint>, number]>([
    [{ outputs: ["mp4"] }, (3600 * 96_000) / 8],
    [{ outputs: ["mp4", "wav"] }, (3600 * 96_000) / 8],
    [{ outputs: ["mp4", "m4a"] }, 0],
    [{ outputs: ["mp4"], original: "duck" }, wav],
    [{ outputs: ["mp4", "wav"], original: "duck" }, 0],
    [{ outputs: ["mkv"] }, wav],
    [{ outputs: ["mkv", "mp4"] }, wav + (3600 * 96_000) / 8]
  ])("for a video's sound while it is muxed, if it is not an output: %o", (job, bytes) => {
    const film: Footprint = { ...hour, ...job }
    expect(diskNeed([{ footprint: film, present: 0 }])).toBe(resultBytes(film) + bytes)
  })

  test("once for a video that two jobs share, and for a track each", () => {
    const shared: Footprint = { ...hour, into: "film.mp4" }
    expect(diskNeed([shared, shared].map((footprint) => ({ footprint, present: 0 })))).toBe(
      2 * resultBytes(hour) + 1e9 + (2 * 3600 * 96_000) / 8
    )
  })
})
