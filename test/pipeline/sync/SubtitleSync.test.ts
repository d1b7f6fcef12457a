/** Subtitles compared with small films from ffmpeg: the plan's messages, and the changes of `sync: auto`. */
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { randomOf, speechLike } from "../../audio/signals.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { ffmpeg, plainFolder } from "../../ffmpeg/media.ts"

const rate = SampleRate.make(16_000)
const seconds = 130

/** The times at which somebody speaks in the film, in milliseconds. */
const spoken = (() => {
  const random = randomOf(5)
  const cues: Array<{ readonly start: number; readonly end: number }> = []
  for (let at = 3_000; ;) {
    const start = Math.round(at + 300 + 2_500 * random() ** 2)
    const end = Math.round(start + 1_000 + 1_500 * random())
    if (end > (seconds - 15) * 1000) return cues
    cues.push({ start, end })
    at = end
  }
})()

const clock = (time: number): string => new Date(time).toISOString().slice(11, 23).replace(".", ",")

const srt = (move: (time: number) => number): string =>
  spoken
    .map(
      ({ start, end }, cue) =>
        `${cue + 1}\n${clock(move(start))} --> ${clock(move(end))}\nLine number ${cue + 1} is spoken here, in full.\n`
    )
    .join("\n")

/** Makes a film with this sound. */
const film = (path: string, samples: Float32Array) =>
  Effect.gen(function* () {
    writeFileSync(`${path}.wav`, encodeWav16({ rate, samples }))
    yield* ffmpeg(
      ...["-i", `${path}.wav`, "-f", "lavfi", "-i", `color=size=32x32:rate=5:duration=${seconds}`],
      ...["-map", "1:v", "-map", "0:a", "-c:v", "mpeg4", "-c:a", "aac", path]
    )
  })

/** Speech over noise. */
const dialogue = (): Float32Array => {
  const random = randomOf(9)
  const samples = Float32Array.from({ length: seconds * rate }, () => 0.004 * (2 * random() - 1))
  spoken.forEach(({ start, end }, cue) => {
    const said = speechLike(rate, (end - start) / 1000, cue + 1).samples
    const from = Math.round((start / 1000) * rate)
    said.forEach((sample, k) => (samples[from + k] = (samples[from + k] ?? 0) + sample))
  })
  return samples
}

/** A melody over chords: notes that begin and fade, without speech. */
const music = (): Float32Array => {
  const random = randomOf(4)
  const samples = new Float32Array(seconds * rate)
  const note = (at: number, length: number, key: number, level: number) => {
    const from = Math.round(at * rate)
    const step = (2 * Math.PI * 220 * 2 ** (key / 12)) / rate
    for (let k = 0; k < length * rate && from + k < samples.length; k++) {
      const wave = Math.sin(step * k) + 0.4 * Math.sin(2 * step * k)
      samples[from + k] = (samples[from + k] ?? 0) + level * Math.exp((-2 * k) / rate) * wave
    }
  }
  const scale = [0, 2, 4, 5, 7, 9, 11, 12]
  for (let beat = 0; beat < seconds * 2.2; beat++) {
    if (beat % 4 === 0) for (const key of [0, 4, 7]) note(beat / 2.2, 1.8, key, 0.08)
    if (random() < 0.7) note(beat / 2.2, 0.6, 12 + (scale[Math.floor(8 * random())] ?? 0), 0.15)
  }
  return samples
}

/** Plans jobs in a folder; returns how each fits, and the first and last time of its lines in seconds. */
const planned = (folder: string, jobs: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const manifest = join(folder, "films.json")
    const settings = { provider: "provider_fast", voice: "v1", outputs: ["wav"] }
    writeFileSync(
      manifest,
      JSON.stringify({ service: { baseUrl: "http://127.0.0.1:9" }, defaults: settings, jobs })
    )
    const plan = yield* planBatch(yield* loadBatch([manifest], {}))
    return plan.jobs.map(({ job, timing, lines, notices }) => ({
      id: String(job.id),
      sync: timing?.sync,
      moved: timing?.moved.size ?? 0,
      first: (lines[0]?.slot?.start ?? 0) / 1000,
      last: (lines.at(-1)?.slot?.start ?? 0) / 1000,
      notices
    }))
  })

const first = (spoken[0]?.start ?? 0) / 1000
const last = (spoken.at(-1)?.start ?? 0) / 1000

it.scopedLive(
  "reports a shifted subtitle, corrects it if the job says so, and leaves one alone that fits",
  () =>
    Effect.gen(function* () {
      const folder = yield* plainFolder
      yield* film(join(folder, "film.mkv"), dialogue())
      writeFileSync(
        join(folder, "good.srt"),
        srt((time) => time)
      )
      writeFileSync(
        join(folder, "late.srt"),
        srt((time) => time + 2_400)
      )
      writeFileSync(
        join(folder, "fast.srt"),
        srt((time) => (time * 24) / 25)
      )
      writeFileSync(
        join(folder, "cut.srt"),
        srt((time) => (time < (seconds * 1000) / 2 ? time : time + 9_000))
      )
      const video = "film.mkv"
      const jobs = yield* planned(folder, [
        { id: "good", input: "good.srt", video },
        { id: "check", input: "late.srt", video },
        { id: "auto", input: "late.srt", video, sync: "auto" },
        { id: "rate", input: "fast.srt", video, sync: "auto" },
        { id: "cut", input: "cut.srt", video, sync: "auto" },
        { id: "by-hand", input: "late.srt", video, shift: -2.4 },
        { id: "both-by-hand", input: "fast.srt", video, rate: "25/24", sync: "off" },
        { id: "off", input: "late.srt", video, sync: "off" },
        { id: "follow", input: "late.srt", video, sync: "auto", fit: { follow: "speech" } },
        { id: "unfit", input: "late.srt", video, fit: { follow: "speech" } }
      ])
      const near = (seconds: number, expected: number) => Math.abs(seconds - expected) < 0.08
      expect(
        jobs.map(({ id, sync, first: from, last: to }) => [
          id,
          sync?.verdict,
          sync?.applied,
          near(from, first) && near(to, last)
        ])
      ).toEqual([
        ["good", "in-sync", false, true],
        ["check", "shifted", false, false],
        ["auto", "shifted", true, true],
        ["rate", "rate", true, true],
        ["cut", "pieces", true, true],
        ["by-hand", "in-sync", false, true],
        ["both-by-hand", undefined, undefined, true],
        ["off", undefined, undefined, false],
        ["follow", "shifted", true, true],
        ["unfit", "shifted", false, false]
      ])
      const follows = jobs.map(({ sync }) =>
        / cues start where speech begins near them$/u.test(sync?.summary ?? "")
      )
      expect(jobs.filter((_, k) => follows[k]).map(({ id }) => id)).toEqual(["follow"])
      const [good, check, auto] = jobs
      expect(good?.notices).toEqual([])
      expect(near(check?.sync?.offset ?? 0, -2.4)).toBe(true)
      expect(check?.notices[0]).toMatch(
        /^the subtitle is 2\.\d\d s too late for the film \(\d+ of \d+ parts agree, confidence [\d.]+\); its times are unchanged; set sync: auto to correct them$/u
      )
      expect(auto?.notices[0]).toMatch(/; its times were corrected$/u)
      expect(auto?.moved).toBe(spoken.length)

      // The analysis of a film is stored, and the next plan reads it.
      const [kept = ""] = readdirSync(join(folder, ".dubwright", "sound"))
      const file = join(folder, ".dubwright", "sound", kept)
      const before = statSync(file).mtimeMs
      const again = yield* planned(folder, [{ id: "auto", input: "late.srt", video, sync: "auto" }])
      expect([again[0]?.sync, statSync(file).mtimeMs]).toEqual([auto?.sync, before])
      // A damaged file is written again.
      truncateSync(file, 100)
      const mended = yield* planned(folder, [{ id: "auto", input: "late.srt", video, sync: "auto" }])
      expect([mended[0]?.sync, readFileSync(file).length > 100]).toEqual([auto?.sync, true])
    }).pipe(Effect.provide([bundledFfmpeg, NodeContext.layer]))
)

it.scopedLive("reports in one line why a film cannot be compared, and changes nothing", () =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    const random = randomOf(2)
    const noise = Float32Array.from({ length: seconds * rate }, () => 0.1 * (2 * random() - 1))
    yield* film(join(folder, "noise.mkv"), noise)
    yield* film(join(folder, "music.mkv"), music())
    // Like an interrupted download: its header states the length of the whole film.
    const whole = readFileSync(join(folder, "music.mkv"))
    writeFileSync(join(folder, "broken.mkv"), whole.subarray(0, Math.round(whole.length * 0.4)))
    yield* ffmpeg(
      ...["-f", "lavfi", "-i", `color=size=32x32:rate=5:duration=${seconds}`],
      ...["-c:v", "mpeg4", join(folder, "silent.mkv")]
    )
    yield* ffmpeg(
      ...["-i", join(folder, "noise.mkv.wav"), "-t", "40", "-c:a", "aac", join(folder, "short.m4a")]
    )
    yield* ffmpeg(
      ...["-i", join(folder, "silent.mkv"), "-i", join(folder, "short.m4a")],
      ...["-c", "copy", join(folder, "partly.mkv")]
    )
    // A recording whose sound changes from stereo to 5.1.
    const part = (name: string, from: number, layout: string) =>
      ffmpeg(
        ...["-ss", `${from}`, "-i", join(folder, "noise.mkv"), "-t", `${seconds / 2}`],
        ...["-af", `pan=${layout}|c0=c0|c1=c0`, "-c:v", "mpeg2video", "-r", "25", "-c:a", "ac3"],
        ...["-output_ts_offset", `${from}`, "-f", "mpegts", join(folder, name)]
      )
    yield* part("stereo.ts", 0, "stereo")
    yield* part("surround.ts", seconds / 2, "5.1")
    writeFileSync(
      join(folder, "changed.ts"),
      Buffer.concat(["stereo.ts", "surround.ts"].map((name) => readFileSync(join(folder, name))))
    )
    writeFileSync(
      join(folder, "late.srt"),
      srt((time) => time + 2_400)
    )
    const jobs = yield* planned(
      folder,
      ["noise", "music", "silent", "partly", "broken", "changed"].map((id) => ({
        id,
        input: "late.srt",
        video: id === "changed" ? "changed.ts" : `${id}.mkv`,
        sync: "auto"
      }))
    )
    // The broken film is also shorter than its subtitle, which has a notice of its own.
    const isAboutSync = (notice: string) => !notice.startsWith("broken.mkv lasts ")
    const unsure =
      "the film's sound does not show whether the subtitle fits (N parts agree, the sound does not support N of " +
      "the cues, confidence N); its times are unchanged"
    const told = jobs.map(({ id, sync, moved, notices }) => [
      id,
      sync?.verdict,
      moved,
      notices
        .filter(isAboutSync)
        .map((notice) => notice.replaceAll(/\d+ of \d+|[\d.]+ s|\d+ %|0\.\d+/gu, "N"))
    ])
    expect(told).toEqual([
      [
        "noise",
        "no-speech",
        0,
        ["no speech was found in the film's sound, so the subtitle was not compared with it"]
      ],
      ["music", "unsure", 0, [unsure]],
      ["silent", "no-speech", 0, ["the film has no sound, so the subtitle was not compared with it"]],
      [
        "partly",
        "unsure",
        0,
        ["only the first N of the film's sound can be decoded, so the subtitle was not compared with it"]
      ],
      ["broken", "unsure", 0, [unsure]],
      [
        "changed",
        "unsure",
        0,
        ["the film's sound has N, but the film has N, so the subtitle was not compared with it"]
      ]
    ])
  }).pipe(Effect.provide([bundledFfmpeg, NodeContext.layer]))
)

it.scoped("skips cues that a shift moves before the film, and counts them", () =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    const cue = (number: number, start: number, words: string) =>
      `${number}\n${clock(start)} --> ${clock(start + 2_000)}\n${words}\n`
    const leader = [cue(1, 5_000, "Good evening."), cue(2, 10_000, "[music]"), cue(3, 58_000, "Last time.")]
    writeFileSync(join(folder, "leader.srt"), leader.join("\n"))
    const film = [cue(4, 59_000, "It has begun."), cue(5, 61_000, "All is well.")]
    writeFileSync(join(folder, "whole.srt"), [...leader, ...film].join("\n"))
    const planned = (input: string) => {
      const job = { input, shift: -60, provider: "provider_fast", voice: "v1" }
      writeFileSync(join(folder, "a.json"), JSON.stringify({ jobs: [job] }))
      return Effect.flatMap(loadBatch([join(folder, "a.json")], {}), planBatch)
    }
    const { jobs, notices } = yield* planned("whole.srt")
    expect(jobs[0].lines.map(({ cue, slot }) => [cue, slot?.start, slot?.end])).toEqual([
      [4, 0, 1_000],
      [5, 1_000, 3_000]
    ])
    expect(jobs[0].words.cues.map((cue) => "skipped" in cue && cue.skipped)).toEqual([
      "before-film",
      "sound-effect",
      "before-film",
      false,
      false
    ])
    const end = "end before the film starts when their times are changed"
    expect(notices).toEqual([`job whole: 2 of 4 cues, up to cue 3, ${end} and are not spoken`])
    expect((yield* Effect.flip(planned("leader.srt"))).message).toBe(
      `leader.srt: job leader: all cues with words ${end}; check shift, rate and sync`
    )
  }).pipe(Effect.provide([bundledFfmpeg, NodeContext.layer]))
)
