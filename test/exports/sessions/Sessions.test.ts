/** Projects for REAPER, Shotcut and Kdenlive, read back by the formats' own rules, and by `melt` if it is installed. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { finishedWav } from "../../../src/audio/formats/OutputConversion.ts"
import { readWav } from "../../../src/audio/formats/Wav.ts"
import { frameRateNamed, pictureHolding } from "../../../src/domain/time/FrameRate.ts"
import { framesAt, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { Timeline, TimelineTrack } from "../../../src/domain/speech/Timeline.ts"
import { kdenlive } from "../../../src/exports/sessions/KdenliveProject.ts"
import { mlt } from "../../../src/exports/sessions/MltTimeline.ts"
import { reaperProject } from "../../../src/exports/sessions/ReaperProject.ts"
import { anyTimeline, clip, film, overlapping, samplesOff, scene } from "../timelines/timelines.ts"
import { readMlt, readReaper } from "./sessionReaders.ts"

/** A video frame need not begin on a whole sample; plus floating-point error. */
const aSample = 0.5 + 1e-3

describe.each([
  ["Shotcut", mlt],
  ["Kdenlive", kdenlive]
] as const)("a project for %s", (_, write) => {
  it.prop("places every clip to the sample", [anyTimeline], ([timeline]) => {
    const found = readMlt(write(timeline), timeline)
    expect(samplesOff(timeline, found)).toBeLessThanOrEqual(aSample)
    expect(overlapping(timeline, found)).toBe(false)
  })

  it("has a marker at each flagged cue, and the film's picture and sound on tracks of their own", () => {
    const rate = frameRateNamed("29.97df")
    const timeline = Timeline.make({ ...scene(rate, 0), film: film(rate, 0, 18_037) })
    const text = write(timeline)
    expect(text.match(/4 overrun fast lose 6 characters/gu)).toHaveLength(1)
    expect(
      text.match(/<property name="resource">\.\.\/\.\.\/Films &amp; more\/phà\.mov</gu)?.length
    ).toBeGreaterThan(1)
    expect(text).toMatch(/>Original</u)
    expect(readMlt(text, timeline)).toHaveLength(7)
  })
})

describe("a project for REAPER", () => {
  it.prop("places every first word to the sample, and fades only in silence", [anyTimeline], ([timeline]) => {
    const { items } = readReaper(reaperProject(timeline))
    const clips = timeline.tracks.flatMap((track) => track.clips)
    expect(items).toHaveLength(clips.length)
    for (const { cue, at, duration, media } of clips) {
      const item = items.find((one) => one.cue === cue)
      const word = Math.round(((item?.position ?? 0) + (item?.snap ?? 0)) * media.rate)
      expect(word).toBe(framesAt(at, media.rate))
      expect(item?.fadeIn).toBeLessThanOrEqual((item?.snap ?? 0) + 1e-9)
      const tail = (item?.length ?? 0) - (item?.snap ?? 0) - duration / 1000
      expect(item?.fadeOut).toBeLessThanOrEqual(Math.max(0, tail) + 1e-9)
    }
  })

  it("has a track per speaker, a region per cue and a marker per flag, whatever the text", () => {
    const { tracks, markers } = readReaper(reaperProject(scene(frameRateNamed("25"), 90_000)))
    expect(tracks).toEqual(["ANNA", "BO.2", "Nobody"])
    expect(markers.filter(({ name }) => name.startsWith("4 "))).toEqual([
      { at: 3.001, name: '4 ANNA: She talks over herself; "really", she does', isRegion: true },
      { at: 3.001, name: "4 overrun fast lose 6 characters", isRegion: false }
    ])
    expect(markers.filter(({ isRegion }) => isRegion)).toHaveLength(14)
  })

  it("keeps the film, its start and its rate", () => {
    const rate = frameRateNamed("23.976")
    const text = reaperProject(Timeline.make({ ...scene(rate, 86_400), film: film(rate, 0, 14_400) }))
    expect(text).toContain("  PROJOFFS 3603.6 0 0\n  TIMEMODE 1 5 -1 24 2 0 -1\n")
    expect(text).toContain('      <SOURCE VIDEO\n        FILE "../../Films & more/phà.mov"\n')
  })
})

const melt = it.skipIf(spawnSync("melt", ["--version"]).error !== undefined)

melt("melt plays every sample where the mix has it", () => {
  const frameRate = frameRateNamed("25")
  const rate = SampleRate.make(48_000)
  const folder = mkdtempSync(join(tmpdir(), "dubwright-melt-"))
  try {
    mkdirSync(join(folder, "clips"))
    const clips = [
      [40, 130],
      [190, 95],
      [233, 181],
      [600, 100]
    ].map(([at = 0, duration = 0], place) => clip(frameRate, place + 1, at, duration, "words"))
    for (const { at, duration, media } of clips) {
      const samples = new Float32Array(media.length)
      const lead = framesAt(at, rate) - (pictureHolding(at, frameRate) * rate) / 25
      samples.fill(0.25, lead, lead + duration * 48)
      writeFileSync(join(folder, media.path), finishedWav({ rate, samples }, 24, {}))
    }
    const timeline = Timeline.make({
      ...scene(frameRate, 0),
      duration: millis(700),
      tracks: [TimelineTrack.make({ name: "ANNA", clips })],
      markers: []
    })
    writeFileSync(join(folder, "film.mlt"), mlt(timeline))
    // On a busy machine, melt sometimes stops before its first frame and never ends. It is then started again.
    const play = () =>
      spawnSync(
        "melt",
        [
          ...["film.mlt", "-consumer", "avformat:film.wav", "acodec=pcm_s24le", "ar=48000", "channels=1"],
          ...["vn=1", "real_time=-1", "terminate_on_pause=1"]
        ],
        {
          ...{ cwd: folder, env: { ...process.env, QT_QPA_PLATFORM: "offscreen" }, stdio: "ignore" },
          ...{ timeout: 8_000, killSignal: "SIGKILL" }
        }
      ).status
    expect(Array.from({ length: 6 }).some(() => play() === 0)).toBe(true)
    const played = Either.getOrThrow(readWav(readFileSync(join(folder, "film.wav")))).channels[0]
    const expected = new Float32Array(played.length)
    for (const { at, duration } of clips)
      for (let i = at * 48; i < (at + duration) * 48; i++) expected[i] = (expected[i] ?? 0) + 0.25
    expect(played.length).toBeGreaterThanOrEqual(700 * 48)
    expect(played.findIndex((sample, at) => Math.abs(sample - (expected[at] ?? 0)) > 1e-3)).toBe(-1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
