import { describe, expect, it } from "vitest"
import { isSaid } from "../../../src/domain/speech/Clip.ts"
import { millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { splitClip } from "../../../src/audio/speech/ClipSplitting.ts"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { type Pcm, peakOf, sliceOf } from "../../../src/audio/pcm/Pcm.ts"
import { randomOf } from "../signals.ts"

const rate = SampleRate.make(24_000)

interface Word {
  readonly start: number
  readonly end: number
}

/**
 * Words of a swelling and falling buzz, as [milliseconds, pause after it], with their true times. Without a pause, the
 * level only dips between words.
 */
const spoken = (
  words: ReadonlyArray<readonly [number, number]>
): { pcm: Pcm; times: ReadonlyArray<Word> } => {
  const random = randomOf(2)
  const total = 200 + words.reduce((sum, [length, pause]) => sum + length + pause, 0)
  const samples = new Float32Array((total * rate) / 1000)
  let at = 100
  const times = words.map(([length, pause]) => {
    const from = (at * rate) / 1000
    const count = (length * rate) / 1000
    for (let i = 0; i < count; i++) {
      const swell = 0.05 + Math.sin((Math.PI * i) / count)
      samples[from + i] = 0.2 * swell * (Math.sin((2 * Math.PI * 140 * i) / rate) + 0.2 * (random() - 0.5))
    }
    const time = { start: at, end: at + length }
    at += length + pause
    return time
  })
  return { pcm: { rate, samples }, times }
}

const inMillis = (cut: ReturnType<typeof splitClip>) =>
  cut.segments.map(({ from, to }) => [Math.round((from * 1000) / rate), Math.round((to * 1000) / rate)])

const expectNear = (
  found: ReadonlyArray<ReadonlyArray<number>>,
  told: ReadonlyArray<readonly [number, number]>
) => {
  expect(found.length).toBe(told.length)
  found
    .flat()
    .forEach((value, i) => expect(Math.abs(value - (told.flat()[i] ?? NaN))).toBeLessThanOrEqual(30))
}

const told = (...parts: ReadonlyArray<readonly [number, number]>) => ({
  expected: parts.map(([start, end]) => ({ start: millis(start), end: millis(end) }))
})

describe("segmentsOf", () => {
  it("trims and measures a single part", () => {
    const { pcm } = spoken([[400, 0]])
    const cut = splitClip(pcm, 1)
    expect(cut.cut).toBe("whole")
    expectNear(inMillis(cut), [[100, 500]])
    const [segment] = cut.segments
    const heard = sliceOf(pcm, segment.from, segment.to)
    expect(segment.loudness).toBe(loudnessOf(heard))
    expect(segment.peak).toBe(peakOf(heard.samples))
  })

  it("cuts at a transcript's times, and trims to the speech", () => {
    const { pcm } = spoken([
      [400, 500],
      [300, 400],
      [500, 0]
    ])
    const cut = splitClip(pcm, 3, told([100, 700], [950, 1_450], [1_650, 2_200]))
    expect(cut.cut).toBe("transcript")
    expectNear(inMillis(cut), [
      [100, 500],
      [1_000, 1_300],
      [1_700, 2_200]
    ])
  })

  it("cuts words without a pause in the dip between them, even if the time is 35 ms off", () => {
    const { pcm, times } = spoken([
      [400, 0],
      [350, 0],
      [400, 0]
    ])
    const shifted = times.map(({ start, end }, i): readonly [number, number] => [
      start + (i === 0 ? 0 : 35),
      end + 35
    ])
    const cut = splitClip(pcm, 3, told(...shifted))
    expect(cut.cut).toBe("transcript")
    cut.segments.slice(1).forEach(({ from }, i) => {
      const truth = times[i + 1]?.start ?? NaN
      expect(Math.abs((from * 1000) / rate - truth)).toBeLessThanOrEqual(30)
    })
  })

  it("leaves a part empty if both transcript and clip lack it", () => {
    const { pcm, times } = spoken([
      [500, 2_000],
      [600, 300],
      [400, 0]
    ])
    const [first, second, third] = told(...times.map(({ start, end }) => [start, end] as const)).expected
    const cut = splitClip(pcm, 4, { expected: [first, undefined, second, third] })
    expect(cut.cut).toBe("transcript")
    expect(cut.segments.map(isSaid)).toEqual([true, false, true, true])
    expectNear(
      inMillis(cut).filter((_, part) => part !== 1),
      [
        [100, 600],
        [2_600, 3_200],
        [3_500, 3_900]
      ]
    )
    expect(
      splitClip(pcm, 5, { expected: [first, second, third, undefined, undefined] }).segments.map(isSaid)
    ).toEqual([true, true, true, false, false])
  })

  it("does not treat a part as missing where speech is heard in its place", () => {
    const { pcm, times } = spoken([
      [500, 300],
      [600, 300],
      [400, 0]
    ])
    const [first, , third] = told(...times.map(({ start, end }) => [start, end] as const)).expected
    expect(splitClip(pcm, 3, { expected: [first, undefined, third] }).cut).toBe("together")
  })

  it("never mistakes a neighbouring pause for the transcript's", () => {
    const { pcm } = spoken([
      [400, 70],
      [90, 300],
      [400, 0]
    ])
    const cut = splitClip(pcm, 3, told([100, 500], [570, 660], [960, 1_360]))
    expectNear(inMillis(cut), [
      [100, 500],
      [570, 660],
      [960, 1_360]
    ])
  })

  it("rejects times that cannot belong to the clip", () => {
    const { pcm } = spoken([
      [400, 500],
      [300, 0]
    ])
    const said = ["One sentence here.", "And another"]
    for (const times of [
      told([100, 500]),
      told([100, 500], [5_000, 5_400]),
      told([1_000, 1_300], [100, 500]),
      told([100, 100], [1_000, 1_300])
    ])
      expect(splitClip(pcm, 2, { ...times, said }).cut).toBe("silence")
  })

  it("finds parts by the pauses that their punctuation suggests", () => {
    const { pcm } = spoken([
      [500, 350],
      [300, 180],
      [400, 400],
      [600, 0]
    ])
    const said = ["This is the first one.", "A short one, and then.", "This part is a little longer."]
    const cut = splitClip(pcm, 3, { said })
    expect(cut.cut).toBe("silence")
    expectNear(inMillis(cut), [
      [100, 600],
      [950, 1_830],
      [2_230, 2_830]
    ])
  })

  it("keeps parts together where a pause could belong to another comma", () => {
    const { pcm } = spoken([
      [500, 250],
      [500, 0]
    ])
    const said = ["These are, as you know, words", "that run on without a stop"]
    expect(splitClip(pcm, 2, { said }).cut).toBe("together")
  })

  it("keeps parts together where nothing separates them", () => {
    const { pcm } = spoken([
      [800, 0],
      [500, 0]
    ])
    for (const hints of [{}, { said: ["One.", "Two."] }]) {
      const cut = splitClip(pcm, 2, hints)
      expect(cut.cut).toBe("together")
      expectNear(inMillis(cut), [[100, 1_400]])
    }
  })

  it("returns a clip without speech unchanged", () => {
    const pcm = { rate, samples: new Float32Array(2_400) }
    const segment = { from: 0, to: 2_400, loudness: -70, peak: 0 }
    expect(splitClip(pcm, 1)).toEqual({ segments: [segment], cut: "whole" })
    expect(splitClip(pcm, 3)).toEqual({ segments: [segment], cut: "together" })
  })
})
