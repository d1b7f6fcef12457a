/** Clips and errors are the same with and without a worker thread. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { clipMaker } from "../../../src/pipeline/clips/ClipWorkerClient.ts"
import { receivedSamples, type ClipRequest } from "../../../src/pipeline/clips/ClipAnalysis.ts"
import { makeDecoder } from "../../../src/pipeline/clips/ReceivedAudio.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { babble, silence } from "../../hostile/Babble.ts"
import { temporaryFolder, utterances } from "../../hostile/Batch.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { ffmpeg, plainFolder } from "../../ffmpeg/media.ts"

const [first, second] = utterances(2)

it.scopedLive("makes the same clips and reports the same faults with a worker thread as without one", () =>
  Effect.gen(function* () {
    if (first === undefined || second === undefined) return expect.fail("there are two")
    const wanted = (said: ClipRequest["said"]): ClipRequest => ({
      said,
      timed: false,
      most: 60,
      transcript: undefined,
      usual: undefined
    })
    const spoken = babble(first.text)
    const here = yield* plainFolder
    const received = join(here, "received")
    writeFileSync(received, spoken)
    yield* ffmpeg(
      "-i",
      received,
      ...["mp3", "flac"].flatMap((name) => ["-ar", "44100", join(here, `spoken.${name}`)])
    )
    const mp3 = readFileSync(join(here, "spoken.mp3"))
    const decode = yield* makeDecoder
    const decoded = (bytes: Uint8Array) =>
      Effect.map(
        Effect.either(
          decode({ bytes, laid: Effect.sync(() => (writeFileSync(received, bytes), received)), most: 60 })
        ),
        Either.mapLeft(({ words }) => words)
      )
    const leftTo: Array<string> = []
    const samples = Either.getOrThrow(receivedSamples(spoken, 60))
    const sounds = {
      "a WAV file within a larger buffer": Buffer.concat([Buffer.alloc(64), spoken]).subarray(64),
      samples,
      "samples at another rate": encodeWav16({ rate: SampleRate.make(16_000), samples: samples.samples }),
      "a plain MP3": mp3,
      "a FLAC file": readFileSync(join(here, "spoken.flac")),
      "a truncated MP3": mp3.subarray(0, mp3.length / 2),
      silence: silence(first.text),
      "half a header": spoken.subarray(0, 20)
    }
    const madeBy = (count: number) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        return yield* Effect.gen(function* () {
          const clips = yield* ClipFolder
          const make = yield* clipMaker(count)
          const made = yield* Effect.forEach(
            Object.entries(sounds),
            ([name, sound]) =>
              Effect.map(
                make(
                  first.key,
                  sound,
                  wanted(first.said),
                  Effect.suspend(() => {
                    leftTo.push(name)
                    return sound instanceof Uint8Array ? decoded(sound) : Effect.succeed(Either.right(sound))
                  })
                ),
                (one) => [name, one]
              ),
            { concurrency: 1 }
          )
          const file = readFileSync(clips.pathOf(first.key))
          rmSync(clips.folder, { recursive: true })
          const { reason } = yield* Effect.flip(
            make(second.key, spoken, wanted(second.said), Effect.succeed(Either.right(samples)))
          )
          return { made, file, reason }
        }).pipe(Effect.provide(ClipFolder.Default.pipe(Layer.provideMerge(writableState(folder)))))
      })
    const alone = yield* madeBy(1)
    expect(alone.made.map(([, one]) => typeof one === "object" && one._tag)).toEqual([
      ...["Made", "Made", "Made", "Made", "Made"],
      ...["Unusable", "Unusable", "Unusable"]
    ])
    expect(alone.reason).toBe("gone")
    expect(leftTo.splice(0)).toEqual(["a plain MP3", "a FLAC file", "a truncated MP3"])
    expect(yield* madeBy(1_000)).toEqual(alone)
    expect(leftTo).toEqual(["a FLAC file", "a truncated MP3"])
  }).pipe(Effect.provide(bundledFfmpeg))
)
