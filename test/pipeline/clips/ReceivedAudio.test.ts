import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Exit, Layer } from "effect"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { extensionOf } from "../../../src/pipeline/clips/AudioFormatDetection.ts"
import { makeDecoder } from "../../../src/pipeline/clips/ReceivedAudio.ts"
import { ffmpeg, plainFolder } from "../../ffmpeg/media.ts"
import { withEachFfmpeg } from "../../ffmpeg/binaries.ts"

withEachFfmpeg("decoding received audio", (it) => {
  it.scoped("decodes plain MP3 without a file, and reports faults for each input separately", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const names = ["plain.mp3", "low.mp3", "film.mp3", "sound.m4a", "sound.flac", "sound.wav"]
      const rates = ["24000", "22050", "48000", "24000", "24000", "8000"]
      yield* ffmpeg(
        ...["-f", "lavfi", "-i", "sine=220:r=48000:d=1"],
        ...names.flatMap((name, place) => [
          ...(name === "sound.wav" ? ["-c:a", "adpcm_ima_wav"] : []),
          ...["-ar", rates[place] ?? "", join(here, name)]
        ])
      )
      const whole = yield* Effect.promise(() => readFile(join(here, "plain.mp3")))
      yield* Effect.promise(() => writeFile(join(here, "cut.mp3"), whole.subarray(0, 2_000)))
      yield* Effect.promise(() => writeFile(join(here, "page.mp3"), "<html>gone</html>"))
      const decode = yield* makeDecoder
      const laid: Array<string> = []
      const found = yield* Effect.forEach(
        [...names, "cut.mp3", "page.mp3"],
        (name) =>
          Effect.gen(function* () {
            const path = join(here, name)
            const bytes = yield* Effect.promise(() => readFile(path))
            const lay = Effect.sync(() => {
              laid.push(name)
              return path
            })
            const pcm = yield* Effect.either(decode({ bytes, laid: lay, most: 60 }))
            return Either.match(pcm, {
              onLeft: ({ words }) => `${name}: ${words.slice(0, 50)}`,
              onRight: ({ rate, samples }) =>
                `${name}: ${rate} Hz, ${Math.round((100 * samples.length) / rate)} hundredths`
            })
          }),
        { concurrency: "unbounded" }
      )
      expect(found).toEqual([
        "plain.mp3: 24000 Hz, 100 hundredths",
        "low.mp3: 24000 Hz, 100 hundredths",
        "film.mp3: 48000 Hz, 100 hundredths",
        "sound.m4a: 48000 Hz, 102 hundredths",
        "sound.flac: 24000 Hz, 100 hundredths",
        "sound.wav: 48000 Hz, 102 hundredths",
        "cut.mp3: expected audio, found 0.41 of the 1.06 seconds in ",
        'page.mp3: expected audio, found a web page or XML ("<html>go'
      ])
      expect(laid.sort()).toEqual(["cut.mp3", "page.mp3", "sound.flac", "sound.m4a", "sound.wav"])
      // A WAV file of PCM needs no ffmpeg, one of ADPCM does.
      expect(extensionOf(yield* Effect.promise(() => readFile(join(here, "sound.wav"))))).toBe("bin")
    })
  )
})

it.scoped("ends each decoding, also if one dies", () =>
  Effect.gen(function* () {
    const dying = Layer.mock(Ffmpeg, {
      _tag: "ffmpeg/Ffmpeg",
      binary: { path: "", source: "PATH", version: "" },
      decodeMany: () => Effect.dieMessage("no memory")
    })
    const decode = yield* makeDecoder.pipe(Effect.provide(dying))
    const lines = yield* Effect.forEach(
      ["one", "two"],
      (name) => Effect.exit(decode({ bytes: Buffer.from(name), laid: Effect.succeed(name), most: 60 })),
      { concurrency: 2 }
    )
    const after = yield* Effect.exit(decode({ bytes: Buffer.from("3"), laid: Effect.succeed("3"), most: 60 }))
    expect([...lines, after].map(Exit.isFailure)).toEqual([true, true, true])
  })
)
