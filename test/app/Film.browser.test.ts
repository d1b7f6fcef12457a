/** A film dubbed into two languages by one run, checked in a browser: its tracks, video stream and audio over time. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Either, Schema } from "effect"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readWav } from "../../src/audio/formats/Wav.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { ffmpeg } from "../ffmpeg/media.ts"
import { chromiumNeeded, noChromium, startTab, type Tab } from "../pages/chromium.ts"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder, type Ran, start } from "./process.ts"
import { enterReviewIn } from "./review/EnterReview.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"

const cwd = emptyFolder()
const at = (...names: ReadonlyArray<string>): string => join(cwd, ...names)
const probe = (path: string) =>
  Effect.runPromise(Effect.flatMap(Ffmpeg, ({ probe }) => probe(path)).pipe(Effect.provide(bundledFfmpeg)))

/** Hash of the video stream's packets. */
const pictureOf = async (path: string): Promise<string> => {
  const { stdout } = await Effect.runPromise(
    ffmpeg("-loglevel", "error", "-i", path, "-map", "0:v", "-c", "copy", "-f", "md5", "-")
  )
  return stdout.toString()
}

/** Measurements from the page: seconds, pixels, decibels. */
const Played = Schema.Struct({
  duration: Schema.Number,
  length: Schema.Number,
  width: Schema.Number,
  levels: Schema.Array(Schema.Number),
  between: Schema.Number
})

const srt = (first: string, second: string) =>
  `1\n00:00:01,000 --> 00:00:02,500\nANNA: ${first}\n\n2\n00:00:06,000 --> 00:00:07,500\nBO: ${second}\n`

const manifest = `
service: embedded
defaults:
  provider: provider_opensource
  voice: os-slt
  language: en
  speakers: { ANNA: { pan: -0.5 }, BO: { voice: os-rms, pan: 0.5 } }
  audio: { depth: 24, rate: 44100, channels: stereo }
  tags: { artist: The harbour }
  into: film.all.mkv
  verify: true
jobs:
  - { id: film-en, input: film.en.srt, video: film.mp4, outputs: [wav, m4a, mp4, srt, stems], original: duck,
      duck: { amount: 20, fade: 0.1 }, chapters: [{ start: 0, title: Quay }, { start: 5, title: Ferry }] }
  - { id: film-de, input: film.de.srt, video: film.mp4, language: de, outputs: [wav, srt] }
`

/** The same lines in another container: all clips are reused. */
const webm = `
service: embedded
defaults: { provider: provider_opensource, voice: os-slt, language: en, speakers: { ANNA: {}, BO: { voice: os-rms } } }
jobs:
  - { id: film-webm, input: film.en.srt, video: film.webm, outputs: [webm], original: duck }
`

let first: Ran

beforeAll(async () => {
  copyFileSync(resolve("fixtures/last-ferry.mp4"), at("whole.mp4"))
  await Effect.runPromise(
    ffmpeg("-loglevel", "error", "-i", at("whole.mp4"), "-t", "10", "-c", "copy", at("film.mp4"))
  )
  writeFileSync(at("film.en.srt"), srt("One two three.", "Four five six."))
  writeFileSync(at("film.de.srt"), srt("Seven eight.", "Nine and ten."))
  writeFileSync(at("batch.yaml"), manifest)
  first = await runHere(["run", "batch.yaml", "--json"], { cwd })
  const picture = ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-vf", "scale=320:-2"]
  await Effect.runPromise(
    ffmpeg("-loglevel", "error", "-i", at("film.mp4"), ...picture, "-c:a", "libopus", at("film.webm"))
  )
  writeFileSync(at("webm.yaml"), webm)
  const second = await runHere(["run", "webm.yaml"], { cwd })
  expect(second.code, second.stderr).toBe(0)
})

describe("a film in two languages", () => {
  test("is delivered and verified, and left unchanged by the next run", async () => {
    expect(first.code, first.stderr).toBe(0)
    const made = statSync(at("out/film.all.mkv")).mtimeMs
    const again = await runHere(["run", "batch.yaml", "--verbose"], { cwd })
    expect(again.code, again.stderr).toBe(0)
    expect(again.stdout).toContain("out/film.all.mkv")
    expect(statSync(at("out/film.all.mkv")).mtimeMs).toBe(made)
  })

  test("has an audio and a subtitle track per language, the first as default, with the source's video stream", async () => {
    const info = await probe(at("out/film.all.mkv"))
    expect(info.sounds.map(({ language, isDefault, title }) => [language, isDefault, title])).toEqual([
      ["eng", true, "English"],
      ["ger", false, "Deutsch"]
    ])
    expect(info.subtitles.map(({ language }) => language)).toEqual(["eng", "ger"])
    const { duration } = await probe(at("film.mp4"))
    expect(Math.abs(info.duration - duration)).toBeLessThan(50_000)
    const source = await pictureOf(at("film.mp4"))
    expect(await pictureOf(at("out/film.all.mkv"))).toBe(source)
    expect(await pictureOf(at("out/film-en/film-en.mp4"))).toBe(source)
  })

  test("has files with the requested depth, rate, channels, tags and chapters", async () => {
    const bytes = readFileSync(at("out/film-en/film-en.wav"))
    expect(bytes.readUInt16LE(bytes.indexOf("fmt ") + 22)).toBe(24)
    const wav = Either.getOrThrow(readWav(bytes))
    const { duration } = await probe(at("film.mp4"))
    expect([wav.rate, wav.channels.length, wav.channels[0].length]).toEqual([
      44_100,
      2,
      Math.round((duration * 44_100) / 1e6)
    ])
    // ANNA is panned left, BO right.
    const level = (samples: Float32Array | undefined, from: number) =>
      samples?.subarray(from * 44_100, (from + 1) * 44_100).reduce((sum, x) => sum + x * x, 0) ?? 0
    const [left, right] = wav.channels
    expect(level(left, 1)).toBeGreaterThan(2 * level(right, 1))
    expect(level(right, 6)).toBeGreaterThan(2 * level(left, 6))
    expect(existsSync(at("out/film-en/stems/ANNA.wav"))).toBe(true)

    const { stdout } = await Effect.runPromise(
      ffmpeg("-loglevel", "error", "-i", at("out/film-en/film-en.m4a"), "-f", "ffmetadata", "-")
    )
    const told = stdout.toString()
    expect(told).toContain("artist=The harbour")
    expect([...told.matchAll(/^title=(.*)$/gmu)].map(([, title]) => title)).toEqual([
      "film-en",
      "Quay",
      "Ferry"
    ])
  })
})

describe.skipIf(noChromium)(`the film in a browser (${chromiumNeeded})`, () => {
  let tab: Tab
  let server: Server
  let home = ""

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === "/") {
        response.setHeader("content-type", "text/html")
        response.end(`<!doctype html><title>film</title><video preload="auto"></video>`)
        return
      }
      const ending = request.url === "/film.webm" ? "webm" : "mp4"
      const job = ending === "webm" ? "film-webm" : "film-en"
      const film = readFileSync(at("out", job, `${job}.${ending}`))
      const [, from = "0", to = ""] = /bytes=(\d+)-(\d*)/u.exec(request.headers.range ?? "") ?? []
      const end = to === "" ? film.length - 1 : Number(to)
      response.writeHead(request.headers.range === undefined ? 200 : 206, {
        "content-type": `video/${ending}`,
        "accept-ranges": "bytes",
        "content-range": `bytes ${from}-${end}/${film.length}`
      })
      response.end(film.subarray(Number(from), end + 1))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = server.address()
    home = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}/`
    tab = await startTab()
  })

  afterAll(async () => {
    await tab.close()
    server.close()
  })

  test.each([
    { ending: "mp4", job: "film-en", width: 640 },
    { ending: "webm", job: "film-webm", width: 320 }
  ])(
    "plays $ending with the source's length, speech where the report says, and only the film's own audio elsewhere",
    async ({ ending, job, width }) => {
      const report = JSON.parse(readFileSync(at(`out/${job}/report.json`), "utf8"))
      const page = await tab.fresh()
      await page.goto(home)
      const seen = await page.evaluate(`(async () => {
      const video = document.querySelector("video")
      video.src = "/film.${ending}"
      if (video.readyState < 1) await new Promise((ready) => video.addEventListener("loadedmetadata", ready))
      const sound = await new OfflineAudioContext(1, 48000, 48000).decodeAudioData(await (await fetch("/film.${ending}")).arrayBuffer())
      const level = (from, to) => {
        let sum = 0
        for (let c = 0; c < sound.numberOfChannels; c++)
          for (const x of sound.getChannelData(c).subarray(from * sound.sampleRate, to * sound.sampleRate)) sum += x * x
        return 10 * Math.log10(sum / ((to - from) * sound.sampleRate * sound.numberOfChannels) + 1e-12)
      }
      video.currentTime = 6.2
      video.muted = true
      await video.play()
      await new Promise((moved) => video.addEventListener("timeupdate", () => video.currentTime > 6.4 && moved()))
      video.pause()
      return {
        duration: video.duration,
        width: video.videoWidth,
        length: sound.length / sound.sampleRate,
        levels: ${JSON.stringify(report.cues)}.map(({ placed }) => level(placed.start, placed.end)),
        between: level(4, 5.5)
      }
    })()`)
      const { duration } = await probe(at("film.mp4"))
      const played = Schema.decodeUnknownSync(Played)(seen)
      expect(played.width).toBe(width)
      expect(Math.abs(played.duration - duration / 1e6)).toBeLessThan(0.05)
      expect(Math.abs(played.length - duration / 1e6)).toBeLessThan(0.05)
      expect(played.levels).toHaveLength(2)
      for (const level of played.levels) expect(level).toBeGreaterThan(played.between + 8)
      // The pages highlight words of single lines, too, whose engine reports no times here.
      for (const { said, placed, wordStarts } of report.cues) {
        expect(wordStarts.length).toBe(said.split(" ").length)
        expect(wordStarts[0]).toBe(placed.start)
        expect(wordStarts.at(-1)).toBeLessThan(placed.end)
      }
    }
  )

  const shown = async (page: Page) => {
    const width = () => page.evaluate<number>("document.querySelector('#film').videoWidth")
    await expect.poll(width).toBe(640)
  }

  test("is shown beside the cues by a report opened from disk", async () => {
    const page = await tab.fresh()
    await page.goto(pathToFileURL(at("out/film-de/report.html")).href)
    await shown(page)
    expect(await page.locator("#film").getAttribute("src")).toBe("../../film.mp4")
  })

  test("is shown beside the cues in review, which serves it in parts, and no other file", async () => {
    const review = start(["review", "batch.yaml"], { cwd })
    const page = await tab.fresh()
    const address = await enterReviewIn(page, await review.firstLine)
    await page.goto(`${address}film-de/report.html`)
    await shown(page)
    const whole = readFileSync(at("film.mp4"))
    const part = await page.request.get(`${address}film-de/film/film.mp4`, {
      headers: { range: "bytes=1000-1999" }
    })
    expect([part.status(), part.headers()["content-range"], part.headers()["content-type"]]).toEqual([
      206,
      `bytes 1000-1999/${whole.length}`,
      "video/mp4"
    ])
    expect((await part.body()).equals(whole.subarray(1000, 2000))).toBe(true)
    for (const other of ["whole.mp4", "batch.yaml", "..%2ffilm.mp4"])
      expect((await page.request.get(`${address}film-de/film/${other}`)).status(), other).toBe(404)
    review.child.kill("SIGTERM")
    await review.ended
  })
})
