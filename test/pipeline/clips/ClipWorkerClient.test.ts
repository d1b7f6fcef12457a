/** Clips and errors are the same with and without a worker thread. */
import { readFileSync, rmSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { clipMaker } from "../../../src/pipeline/clips/ClipWorkerClient.ts"
import { receivedSamples, type ClipRequest } from "../../../src/pipeline/clips/ClipAnalysis.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { babble, silence } from "../../hostile/Babble.ts"
import { temporaryFolder, utterances } from "../../hostile/Batch.ts"

const [first, second] = utterances(2)

it.scopedLive("makes the same clips and reports the same faults with a worker thread as without one", () =>
  Effect.gen(function* () {
    if (first === undefined || second === undefined) return expect.fail("there are two")
    const wanted = (said: ClipRequest["said"]): ClipRequest => ({
      said,
      timed: false,
      transcript: undefined,
      usual: undefined
    })
    const spoken = babble(first.text)
    const samples = Either.getOrThrow(receivedSamples(spoken))
    const sounds = {
      "a WAV file within a larger buffer": Buffer.concat([Buffer.alloc(64), spoken]).subarray(64),
      samples,
      "samples at another rate": encodeWav16({ rate: SampleRate.make(16_000), samples: samples.samples }),
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
            ([name, sound]) => Effect.map(make(first.key, sound, wanted(first.said)), (one) => [name, one]),
            { concurrency: 1 }
          )
          const file = readFileSync(clips.pathOf(first.key))
          rmSync(clips.folder, { recursive: true })
          const { reason } = yield* Effect.flip(make(second.key, spoken, wanted(second.said)))
          return { made, file, reason }
        }).pipe(Effect.provide(ClipFolder.Default.pipe(Layer.provideMerge(writableState(folder)))))
      })
    const here = yield* madeBy(1)
    expect(here.made.map(([, one]) => typeof one === "object" && one._tag)).toEqual([
      ...["Made", "Made", "Made"],
      ...["Unusable", "Unusable"]
    ])
    expect(here.reason).toBe("gone")
    expect(yield* madeBy(1_000)).toEqual(here)
  })
)
