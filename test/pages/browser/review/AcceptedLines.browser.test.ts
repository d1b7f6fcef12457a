/** Hearing an accepted line in its place before its file is loaded: the real command, its service, a real browser. */
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Either } from "effect"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { readWav } from "../../../../src/audio/formats/Wav.ts"
import { chromiumNeeded, misdeedsOf, noChromium } from "../../chromium.ts"
import { type ReviewedFilm, reviewFilm } from "../../reviewedFilm.ts"

const cues = Array.from({ length: 10 }, (_, at) => `Nobody saw the lamp of pier ${at + 1} go out.`)

/** Counts the previews that start, with the second of the film at which each begins. */
const recorder = `
  window.starts = []
  const start = AudioBufferSourceNode.prototype.start
  AudioBufferSourceNode.prototype.start = function (when, offset) {
    starts.push({ offset, at: document.querySelector("#audio").currentTime, state: this.context.state })
    start.call(this, when, offset)
  }
`

describe.skipIf(noChromium)(`an accepted line before its file is loaded (${chromiumNeeded})`, () => {
  const cwd = mkdtempSync(join(tmpdir(), "dubwright-preview-"))
  let film: ReviewedFilm | undefined

  beforeAll(async () => {
    film = await reviewFilm({ cwd, cues })
  })

  afterAll(() => film?.close())

  /** Samples of the delivered file, ±1 at full scale. */
  const delivered = () => samplesOf(readFileSync(join(cwd, "out/film/film.wav")))
  const samplesOf = (bytes: Uint8Array) => Either.getOrThrow(readWav(bytes))
  /** Every file beside the takes, with its size and its time. */
  const files = () =>
    ["out/film", ".dubwright/mixes", "."].flatMap((folder) =>
      readdirSync(join(cwd, folder)).map((name) => {
        const { size, mtimeMs } = statSync(join(cwd, folder, name))
        return `${folder}/${name} ${name.startsWith(".") ? "" : `${size} ${mtimeMs}`}`
      })
    )
  const sound = (page: Page) =>
    page.evaluate<ReadonlyArray<unknown>>(
      "(({ src, volume, paused }) => [src.split('/').at(-1), volume, paused])(document.querySelector('#audio'))"
    )
  const starts = (page: Page) =>
    page.evaluate<ReadonlyArray<{ offset: number; at: number; state: string }>>("starts")

  /** Opens a cue with other words, and listens to them; returns the preview, and the second at which it begins. */
  const listening = async (cue: number, words: string, reviewed = film) => {
    if (reviewed === undefined) throw new Error("no film under review")
    const page = await reviewed.tab.fresh()
    const misdeeds = misdeedsOf(page, new URL(reviewed.address).origin)
    await page.goto("about:blank")
    await page.goto(`${reviewed.address}film/report.html#cue-${cue}`)
    await page.evaluate(recorder)
    await page.keyboard.press("e")
    await page.locator("#edit textarea").fill(words)
    const mixed = page.waitForResponse("**/preview")
    await page.keyboard.press("Control+Enter")
    const response = await mixed
    const from = Number(response.headers()["x-preview-from"])
    const wav = samplesOf(await response.body())
    await page.locator("#edit-accept:enabled").waitFor()
    return { page, misdeeds, from, wav }
  }
  /** Accepts the line. Until `release` is called, the page does not learn of its delivery. */
  const accepting = async (page: Page) => {
    let release = () => {}
    const held = new Promise<void>((done) => (release = done))
    await page.route("**/delivery", async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press("Control+s")
    await page.locator("#edit").waitFor({ state: "hidden" })
    return release
  }

  it("plays what is then delivered, in its place; and then the file", async () => {
    const before = delivered()
    const { page, misdeeds, from, wav } = await listening(5, "They all left at noon.")
    const present = files()
    expect(await (await page.request.fetch(`${film?.address}film/cues/6/preview`)).body()).toHaveLength(0)
    expect(files(), "a take that is not accepted leaves nothing").toEqual(present)
    const release = await accepting(page)
    await page.locator("#play").click()
    await expect.poll(() => starts(page)).not.toHaveLength(0)
    const [begun] = await starts(page)
    expect(begun?.state).toBe("running")
    expect((begun?.offset ?? 0) + from, "it begins at the player's position").toBeCloseTo(begun?.at ?? 0, 1)
    expect(begun?.at).toBeGreaterThan(16)
    expect(await sound(page), "the earlier file is mute").toEqual(["film.wav", 0, false])

    const second = (wav: { readonly rate: number; channels: ReadonlyArray<Float32Array> }, at: number) =>
      wav.channels[0]?.subarray(Math.round(at * wav.rate), Math.round((at + 1) * wav.rate)) ?? []
    await expect.poll(() => different(second(before, 17.2), second(delivered(), 17.2))).toBeGreaterThan(0.5)
    for (const at of [9.2, 17.2, 25.2])
      expect(different(second(wav, at - from), second(delivered(), at)), `at ${at} s`).toBeLessThan(0.05)

    release()
    await expect.poll(() => page.locator("#delivery").textContent()).toContain("you hear")
    await page.locator("#play").click()
    await expect.poll(() => sound(page)).toEqual(["film.wav?1", 1, true])
    const previews = await starts(page)
    await page.locator("#play").click()
    await expect.poll(() => sound(page)).toEqual(["film.wav?1", 1, false])
    expect(await starts(page), "the file itself plays").toEqual(previews)
    expect(misdeeds).toEqual([])
  })

  it("plays it over a video, if that is the job's only sound", async () => {
    const videos = mkdtempSync(join(tmpdir(), "dubwright-preview-"))
    const film = await reviewFilm({ cwd: videos, cues: cues.slice(0, 5), job: ", outputs: [mp4]" })
    onTestFinished(() => film.close())
    const { page, from } = await listening(3, "They all left at noon.", film)
    const release = await accepting(page)
    await page.locator("#play").click()
    await expect.poll(() => sound(page)).toEqual(["film.mp4", 0, false])
    await expect.poll(() => starts(page)).not.toHaveLength(0)
    const begun = await starts(page)
    const places = new Set(begun.map(({ at }) => at))
    expect(places.size, "it does not begin while the video's own sound is awaited").toBe(begun.length)
    for (const { offset, at } of begun)
      expect(offset + from, "it begins at the player's position").toBeCloseTo(at, 1)
    release()
  })

  it("plays the earlier file again after the change is undone", async () => {
    const { page } = await listening(3, "They all left at noon.")
    const release = await accepting(page)
    await page.locator("#play").click()
    await expect.poll(() => sound(page)).toEqual(["film.wav", 0, false])
    await page.keyboard.press("u")
    await expect.poll(() => sound(page)).toEqual(["film.wav", 1, false])
    release()
    await page.locator("#play").click()
  })
})

/**
 * How different two sounds are, apart from their level: 0 to 1. The first may have half the sample rate of the second.
 */
const different = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  const step = Math.round(other.length / one.length)
  const product = (a: (at: number) => number, b: (at: number) => number) =>
    Array.from(one).reduce((sum, _, at) => sum + a(at) * b(at), 0)
  const [a, b] = [(at: number) => one[at] ?? 0, (at: number) => other[step * at] ?? 0]
  return 1 - product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}
