/** A clip's parts are cut where they are said, whatever its transcript says. */
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { fromInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { makeUtterance } from "../../../src/domain/speech/Utterance.ts"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { makeEspeakEngine } from "../../../src/engines/local/EspeakEngine.ts"
import { ClipIntake, makeClipIntake } from "../../../src/pipeline/clips/ClipIntake.ts"
import { keepClip } from "../../../src/pipeline/clips/ClipStorage.ts"
import { analyzeInThisThread } from "../../../src/pipeline/clips/ClipWorkerClient.ts"
import { silent } from "../../../src/pipeline/Progress.ts"
import { pcm, request } from "../../engines/speech.ts"
import { casting, stored, temporaryFolder } from "../../hostile/Batch.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"

const said = [
  "When the old keeper went down",
  "to the harbour with his dog",
  "nobody had seen the light."
] as const

/** What may be wrong with a transcript's times, in milliseconds; the second number is the clip's length. */
const faults: Readonly<Record<string, (time: number, length: number) => number>> = {
  right: (time) => time,
  late: (time) => time + 600,
  early: (time) => time - 600,
  "late inside": (time, length) => time + 600 * Math.sin((Math.PI * time) / length),
  drifting: (time) => time * 1.2,
  shrinking: (time) => time * 0.7,
  doubled: (time) => time * 2,
  backwards: (time, length) => length - time
}

it.scopedLive(
  "cuts at a transcript's times only if the clip bears them out, else at those of an alignment",
  () =>
    Effect.gen(function* () {
      const espeak = yield* makeEspeakEngine({ size: 1 })
      const speech = pcm(yield* espeak.speak(request("en", said.join(" "))))
      const sound = { rate: speech.rate, samples: fromInt16(speech.samples) }
      const audio = encodeWav16(sound)
      const length = (speech.samples.length * 1_000) / speech.rate
      const utterance = makeUtterance(casting, "text", said.join(" "), said)
      const origin = { engine: undefined, language: LanguageTag.make("en"), timesWords: false }
      const intake = yield* makeClipIntake(analyzeInThisThread)
      const found = yield* Effect.forEach(Object.entries(faults), ([name, timeOf]) =>
        Effect.gen(function* () {
          const words = speech.words.map(({ text, start, end }) => ({
            word: text,
            start_ms: timeOf(start, length),
            end_ms: timeOf(end, length)
          }))
          const kept = yield* keepClip(
            utterance,
            { audio: audio.slice(), transcript: { format: "json", text: JSON.stringify(words) } },
            origin
          ).pipe(Effect.provideService(ClipIntake, intake))
          const { clip, suspect } = Either.getOrThrow(kept)
          return {
            name,
            cut: clip.cut,
            suspect,
            starts: clip.segments.map(({ from }) => (from * 1_000) / clip.rate)
          }
        })
      )
      const starts = found[0]?.starts ?? []
      expect(starts.length).toBe(3)
      expect(
        found.map(({ name, cut, suspect, starts: others }) => ({
          name,
          cut,
          suspect,
          off: Math.max(...starts.map((start, part) => Math.abs(start - (others[part] ?? NaN)))) > 90
        }))
      ).toEqual(
        Object.keys(faults).map((name) => ({
          name,
          cut: name === "right" ? "transcript" : "alignment",
          suspect: undefined,
          off: false
        }))
      )
    }).pipe(
      Effect.provide(
        Layer.unwrapScoped(Effect.map(temporaryFolder, stored)).pipe(
          Layer.provideMerge(Layer.merge(bundledFfmpeg, silent))
        )
      )
    )
)
