/** A clip's parts are cut where they are said, whatever its transcript says. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { misfitOf } from "../../../src/audio/alignment/SpeechFit.ts"
import { fromInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { makeUtterance } from "../../../src/domain/speech/Utterance.ts"
import { LanguageTag, VoiceId } from "../../../src/domain/values/Ids.ts"
import { makeEspeakEngine } from "../../../src/engines/local/EspeakEngine.ts"
import { makeFliteEngine } from "../../../src/engines/local/FliteEngine.ts"
import { ClipIntake, makeClipIntake } from "../../../src/pipeline/clips/ClipIntake.ts"
import { keepClip } from "../../../src/pipeline/clips/ClipStorage.ts"
import { analyzeInThisThread } from "../../../src/pipeline/clips/ClipWorkerClient.ts"
import { silent, warningsTo } from "../../../src/pipeline/Progress.ts"
import { pcm, request } from "../../engines/speech.ts"
import { casting, stored, temporaryFolder } from "../../hostile/Batch.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { ffmpeg } from "../../ffmpeg/media.ts"

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

const sentences = [
  "The keeper closed the door behind him, and went down to the harbour.",
  "If the boats are not back by morning, we will have to call the coast guard.",
  "They had been walking for hours, and the path grew narrower with every turn."
]

it.scopedLive(
  "suspects speech that ends cleanly after half of its sentence, at any speed, and no whole one",
  () =>
    Effect.gen(function* () {
      const flite = yield* makeFliteEngine({ size: 1 })
      const intake = yield* makeClipIntake(analyzeInThisThread)
      const origin = { engine: undefined, language: LanguageTag.make("en"), timesWords: false }
      const spoken = sentences.flatMap((text) =>
        [0.8, 1, 1.4, 1.7].flatMap((speed) => [0.55, 1].map((share) => ({ text, speed, share })))
      )
      const found = yield* Effect.forEach(spoken, ({ text, speed, share }) =>
        Effect.gen(function* () {
          const { rate, samples, words } = pcm(yield* flite.speak(request("slt", text, { rate: speed })))
          const end = words[Math.round(words.length * share) - 1]?.end ?? 0
          const cut = Float32Array.from(fromInt16(samples), (sample, at) =>
            share === 1 || at < (end * rate) / 1_000 ? sample : 0
          )
          const voice = Casting.make({ ...casting, voice: VoiceId.make(`slt-${speed}`) })
          const said = makeUtterance(voice, "text", text, [text])
          const audio = encodeWav16({ rate, samples: cut })
          const kept = yield* keepClip(said, { audio, transcript: undefined }, origin).pipe(
            Effect.provideService(ClipIntake, intake)
          )
          const { suspect, mayRetake } = Either.getOrThrow(kept)
          return [suspect !== undefined, mayRetake]
        })
      )
      expect(found).toEqual(spoken.map(({ share }) => [share < 1, true]))
    }).pipe(
      Effect.provide(
        Layer.unwrapScoped(Effect.map(temporaryFolder, stored)).pipe(
          Layer.provideMerge(Layer.merge(bundledFfmpeg, silent))
        )
      )
    )
)

it.scopedLive("keeps an MP3 joined from files with tags, and says so once for a provider", () => {
  const notes: Array<string> = []
  return Effect.gen(function* () {
    const intake = yield* makeClipIntake(analyzeInThisThread)
    const mp3 = join(yield* temporaryFolder, "a.mp3")
    yield* ffmpeg("-f", "lavfi", "-i", "sine=220:r=24000:d=1", "-metadata", "title=One", mp3)
    const one = yield* Effect.promise(() => readFile(mp3))
    const lengths = yield* Effect.forEach(["Good evening.", "Nobody came."], (text) =>
      keepClip(
        makeUtterance(casting, "text", text, [text]),
        { audio: Uint8Array.from(Buffer.concat([one, one])), transcript: undefined },
        { engine: undefined, language: LanguageTag.make("en"), timesWords: false }
      ).pipe(
        Effect.provideService(ClipIntake, intake),
        Effect.map((kept) => Either.getOrThrow(kept).clip),
        Effect.map(({ segments, rate }) => (segments.at(-1)?.to ?? 0) / rate)
      )
    )
    for (const length of lengths) expect(Math.abs(length - 2)).toBeLessThan(0.2)
    expect(notes).toEqual([
      `${casting.provider} sends MP3 files joined from several; what is between their frames is skipped`
    ])
  }).pipe(
    Effect.provide(
      Layer.unwrapScoped(Effect.map(temporaryFolder, stored)).pipe(
        Layer.provideMerge(Layer.merge(bundledFfmpeg, warningsTo(notes)))
      )
    )
  )
})

it("suspects a long gap in slow speech, in which a short one may be its style", () => {
  const kinds = [0.3, 0.63].map((skipped) => misfitOf({ ratio: 0.85, skipped, added: 0 })?.kind)
  expect(kinds).toEqual([undefined, "cut-off"])
})

it("suspects a shorter gap in speech of less than three quarters of its voice's usual length", () => {
  const fit = { ratio: 0.85, skipped: 0.15, added: 0 }
  expect([undefined, 0.76, 0.7].map((pace) => misfitOf(fit, pace)?.kind)).toEqual([
    undefined,
    undefined,
    "cut-off"
  ])
})
