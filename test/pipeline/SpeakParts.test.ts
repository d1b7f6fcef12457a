import { expect, it } from "@effect/vitest"
import type { Pcm } from "../../src/audio/pcm/Pcm.ts"
import { splitClip } from "../../src/audio/speech/ClipSplitting.ts"
import { decodeWav, isWav } from "../../src/audio/formats/Wav.ts"
import { Estimate } from "../../src/domain/values/Estimate.ts"
import { extensionOf, storedRateOf, statedRate } from "../../src/pipeline/clips/AudioFormatDetection.ts"
import { judgeParts } from "../../src/pipeline/clips/ClipAnalysis.ts"
import { babble, millisPerLetter, silence } from "../hostile/Babble.ts"

it("stores speech at 24 kHz, and audio sampled at a higher rate at the delivery's rate", () => {
  expect([8_000, 16_000, 22_050, 24_000, 24_001, 44_100, 48_000, 96_000].map(storedRateOf)).toEqual([
    24_000, 24_000, 24_000, 24_000, 48_000, 48_000, 48_000, 48_000
  ])
})

it("detects formats and sample rates from the bytes", () => {
  const mp3 = (second: number, third: number) => Uint8Array.of(0xff, second, third, 0xc0, 0, 0, 0, 0)
  // MPEG 1 at 44.1 kHz, MPEG 2 at 24 kHz, MPEG 2.5 at 8 kHz; then one after an ID3 tag of 20 bytes.
  const rates = [mp3(0xfb, 0x90), mp3(0xf3, 0x94), mp3(0xe3, 0x98)].map(statedRate)
  expect(rates).toEqual([44_100, 24_000, 8_000])
  const tag = Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 20, ...new Uint8Array(20).fill(0xff))
  expect(statedRate(Uint8Array.of(...tag, ...mp3(0xfb, 0x90)))).toBe(44_100)
  const flac = new Uint8Array(42)
  flac.set(Buffer.from("fLaC"))
  flac.set([0x05, 0xdc, 0x00], 18)
  expect(statedRate(flac)).toBe(24_000)
  expect(
    [
      babble("a"),
      flac,
      mp3(0xfb, 0x90),
      Buffer.from("OggS"),
      Buffer.from("????ftypM4A "),
      Buffer.from("?")
    ].map(extensionOf)
  ).toEqual(["wav", "flac", "mp3", "ogg", "m4a", "bin"])
  expect([isWav(babble("a")), isWav(Buffer.from("RIFF....AVI "))]).toEqual([true, false])
})

const pcmOf = (wav: Uint8Array): Pcm => {
  const read = decodeWav(wav)
  if (read._tag === "Left") throw read.left
  return read.right
}

const judged = (wav: Uint8Array, words: string, usual?: number) => {
  const pcm = pcmOf(wav)
  const { segments } = splitClip(pcm, 1)
  return judgeParts(pcm, {
    said: [words],
    segments,
    timed: false,
    usual: usual === undefined ? undefined : Estimate.make({ count: 20, mean: usual, spread: 4 })
  })
}

it("accepts a clip that matches its text, or says what is wrong", () => {
  const words = "Quiet water carries the boats a long way down."
  expect(judged(babble(words), words)).toEqual({ _tag: "Good" })
  expect(judged(silence(words), words)).toMatchObject({
    _tag: "Unusable",
    words: expect.stringMatching(/^the audio is silent: /u)
  })
  expect(judged(babble(words), words, millisPerLetter)).toEqual({ _tag: "Good" })
  expect(judged(babble("Quiet"), words, millisPerLetter)).toMatchObject({
    _tag: "Suspect",
    words: expect.stringMatching(/^the audio is too short: /u)
  })
})
