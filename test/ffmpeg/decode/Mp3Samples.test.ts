/** In-process MP3 decoding gives the same samples as ffmpeg. */
import { createHash } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { plainMp3 } from "../../../src/audio/formats/PlainMp3.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { mp3Decoder } from "../../../src/ffmpeg/decode/Mp3Samples.ts"
import { mp3Threads } from "../../../src/ffmpeg/decode/Mp3WorkerClient.ts"
import { ffmpeg, plainFolder, rate24, rate48 } from "../media.ts"
import { type Binary, versionOf } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { withEachFfmpeg } from "../binaries.ts"

const rates = [24_000, 48_000, 44_100, 16_000].map((rate) => SampleRate.make(rate))
const qualities = {
  constant: ["-b:a", "64k"],
  low: ["-b:a", "32k"],
  variable: ["-q:a", "4"],
  apart: ["-joint_stereo", "0", "-b:a", "128k"],
  alone: ["-reservoir", "0", "-b:a", "96k"]
}
const dresses = {
  usual: [],
  unnoted: ["-write_xing", "0"],
  bare: ["-write_xing", "0", "-id3v2_version", "0"],
  tagged: ["-write_id3v1", "1", "-metadata", "title=Lavf LAME Info"]
}

/** MP3 files of every kind: a voice-like sound that differs between left and right, some of it silent. */
const encoded = (folder: string) =>
  Effect.gen(function* () {
    const kinds = rates.flatMap((rate) =>
      Object.values(qualities).flatMap((quality, which) =>
        Object.values(dresses).map((dress, how) => ({
          rate,
          channels: 1 + ((which + how) % 2),
          options: [...quality, ...dress]
        }))
      )
    )
    // Their lengths differ, because a decoder's state depends on how many frames it has decoded.
    const files = kinds.map((kind, place) => ({
      ...kind,
      seconds: 0.6 + (place % 11) * 0.02,
      path: join(folder, `${place}.mp3`)
    }))
    const sound =
      "aevalsrc='0.4*sin(190*2*PI*t+3*sin(5*t))*lt(mod(t,0.5),0.4)|0.3*random(0)*lt(mod(t,0.3),0.2)':s=48000:d=0.83"
    yield* ffmpeg(
      ...["-f", "lavfi", "-i", sound],
      ...files.flatMap(({ rate, channels, seconds, options, path }) => [
        ...["-t", `${seconds}`, "-ac", `${channels}`, "-ar", `${rate}`],
        ...options,
        path
      ])
    )
    return files
  })

/**
 * The largest difference between samples at a rate: a third of the least significant of 16 bits. At 24 kHz, ffmpeg 5.1
 * and earlier builds decode some frames wrongly, by up to 0.05. On the same files, other decoders agree: ffmpeg 7 and
 * mpg123 1.31 (within 2e-6), LAME 3.100 (3e-5) and libmad 0.15 (1.1e-4, fixed point).
 */
const agreement = (rate: number, binary: Binary): number =>
  rate === rate24 && (versionOf(binary)?.major ?? 0) < 7 ? 0.1 : 1e-5

const bytesOf = (path: string) => Effect.promise(() => readFile(path))

/** The largest difference between two sounds of the same length. */
const distance = (one: Float32Array, other: Float32Array): number =>
  one.length === other.length
    ? one.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (other[at] ?? Infinity))), 0)
    : Infinity

const printOf = (samples: Float32Array | undefined): string =>
  samples === undefined ? "none" : createHash("sha256").update(samples).digest("hex")

/** Pseudo-random numbers, the same in every run. */
const chance = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Damage that occurs in transit, or when a service joins pieces. */
const damages: ReadonlyArray<(bytes: Uint8Array, pick: (below: number) => number) => Uint8Array> = [
  (bytes, pick) => bytes.subarray(0, pick(bytes.length)),
  (bytes, pick) => bytes.map((byte, at) => (at % 397 === 200 ? byte ^ (1 << pick(8)) : byte)),
  (bytes, pick) =>
    Uint8Array.from([...bytes.subarray(0, pick(bytes.length)), ...bytes.subarray(pick(bytes.length))]),
  (bytes, pick) => bytes.slice().fill(0, pick(bytes.length), pick(bytes.length)),
  (bytes, pick) => Uint8Array.from([...Array.from({ length: 1 + pick(200) }, () => pick(256)), ...bytes]),
  (bytes, pick) => Uint8Array.from([...bytes, ...bytes.subarray(pick(bytes.length))])
]

withEachFfmpeg("in-process MP3 decoding", (it) => {
  it.scoped("matches ffmpeg sample by sample for every kind of plain file", () =>
    Effect.gen(function* () {
      const service = yield* Ffmpeg
      const decode = mp3Decoder()
      const files = yield* encoded(yield* plainFolder)
      for (const rate of rates) {
        const some = files.filter((file) => file.rate === rate)
        const theirs = yield* service.decodeMany(some, rate)
        for (const [place, { path, options, channels }] of some.entries()) {
          const bytes = yield* bytesOf(path)
          const mine = yield* Effect.promise(() => decode(bytes, rate, 60))
          const reference = Option.getOrThrow(
            Option.flatMap(Option.fromNullable(theirs[place]), Either.getRight)
          )
          const apart = mine === undefined ? Infinity : distance(mine, reference.samples)
          const most = agreement(rate, service.binary)
          expect({ rate, channels, options, apart: apart < most ? "nothing" : apart }).toMatchObject({
            apart: "nothing"
          })
        }
      }
    })
  )

  it.scoped("matches ffmpeg at another rate, without a time shift", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const service = yield* Ffmpeg
      const decode = mp3Decoder()
      const found = yield* Effect.forEach(
        [
          [44_100, rate48],
          [32_000, rate48],
          [22_050, rate24],
          [16_000, rate24],
          [12_000, rate24]
        ] as const,
        ([from, to]) =>
          Effect.gen(function* () {
            const path = join(here, `${from}.mp3`)
            const sound = "aevalsrc='0.4*sin(190*2*PI*t+3*sin(5*t))':s=48000:d=1.3"
            yield* ffmpeg("-f", "lavfi", "-i", sound, "-ar", `${from}`, path)
            const bytes = yield* bytesOf(path)
            const mine = yield* Effect.promise(() => decode(bytes, to, 60))
            const [theirs] = yield* service.decodeMany([{ path }], to)
            const reference = Either.getOrThrow(theirs ?? Either.left(undefined)).samples
            const [longer = 0, shorter = 0] = [mine?.length ?? 0, reference.length].sort((a, b) => b - a)
            const inner = (samples?: Float32Array) =>
              samples?.subarray(to / 20, shorter - to / 20) ?? new Float32Array(0)
            return {
              from,
              longer: longer - shorter > 1,
              apart: distance(inner(mine), inner(reference)) > 1e-3
            }
          })
      )
      expect(found).toEqual(
        [44_100, 32_000, 22_050, 16_000, 12_000].map((from) => ({ from, longer: false, apart: false }))
      )
    })
  )

  it.scoped("accepts no damaged file that ffmpeg rejects, and never changes a file's length", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const service = yield* Ffmpeg
      const decode = mp3Decoder()
      const pick = chance(7)
      const files = (yield* encoded(here)).filter(({ rate }) => rate === rate24)
      const damaged = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, place) => ({
          path: join(here, `damaged-${place}.mp3`),
          from: files[pick(files.length)]?.path ?? "",
          damage: damages[place % damages.length] ?? ((bytes: Uint8Array) => bytes)
        })),
        ({ path, from, damage }) =>
          Effect.gen(function* () {
            const bytes = damage(yield* bytesOf(from), pick)
            yield* Effect.promise(() => writeFile(path, bytes))
            return { path, samples: yield* Effect.promise(() => decode(bytes, rate24, 60)) }
          })
      )
      const taken = damaged.flatMap(({ path, samples }) =>
        samples === undefined ? [] : [{ path, length: samples.length }]
      )
      const theirs = yield* service.decodeMany(taken, rate24)
      expect(theirs.map((result) => Either.map(result, ({ samples }) => samples.length))).toEqual(
        taken.map(({ length }) => Either.right(length))
      )
      expect([taken.length > 5, taken.length < 40]).toEqual([true, true])
    })
  )

  it.scoped("gives the same samples whatever was decoded before, also in threads", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const kinds = yield* encoded(here)
      const page = new TextEncoder().encode("<html>gone</html>")
      const inThreads = yield* mp3Threads
      // MPEG-2 and MPEG-1, whose frames move the decoder's state by different amounts.
      for (const own of [rate24, rate48]) {
        const files = kinds.filter(({ rate }) => rate === own)
        const all = yield* Effect.forEach(files, ({ path }) => bytesOf(path))
        // Decodes enough files at once for a second thread, with other data in between.
        const printsOf = (some: ReadonlyArray<Uint8Array>) =>
          Effect.forEach(
            some.flatMap((bytes) => [bytes, page]),
            (bytes) => Effect.map(inThreads(bytes, own, 60), (pcm) => printOf(pcm?.samples)),
            { concurrency: "unbounded" }
          )
        const [forth, back] = yield* Effect.all([printsOf(all), printsOf([...all].reverse())])
        const alone = yield* Effect.forEach(all, (bytes) =>
          Effect.promise(() => mp3Decoder()(bytes, own, 60))
        )
        expect(alone.map((samples) => samples?.length)).toEqual(all.map((bytes) => plainMp3(bytes)?.length))
        const expected = alone.map(printOf)
        expect(forth).toEqual(expected.flatMap((print) => [print, "none"]))
        expect(back.reverse()).toEqual(expected.flatMap((print) => ["none", print]))
      }
    })
  )
})
