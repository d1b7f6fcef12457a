/**
 * The settings of each family, as sherpa-onnx gets them. The tests compare them whole, and check them against the names
 * that its own code reads. Its native build and its build in WebAssembly must accept them, with models of 1 kB.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, test } from "vitest"
import { checkModel } from "../../../src/engines/neural/ModelFolder.ts"
import { makeSherpaEngine } from "../../../src/engines/neural/SherpaEngine.ts"
import { digest, lengthOf, pcm, request } from "../speech.ts"
import { phonemes, tinyModel, tinyTokens, tinyVocoder, writeSpellingVoice } from "./tinyVoice.ts"
import { wrappedSherpa } from "./wrappedSherpa.ts"

const home = mkdtempSync(join(tmpdir(), "dubwright-families-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const cache = join(home, "cache")
const folderOf = (name: string) => join(home, name)

const write = (name: string, files: Readonly<Record<string, string | Buffer>>): void => {
  mkdirSync(folderOf(name))
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folderOf(name), file), content)
}

/** Styles of several speakers for texts of up to 100 symbols; the first number of each is the speaker's. */
const styles = (speakers: number): Buffer =>
  Buffer.from(Float32Array.from({ length: speakers * 100 * 4 }, (_, at) => Math.floor(at / 400)).buffer)
const styled = (metadata: Readonly<Record<string, string>>) => ({
  "model.onnx": tinyModel({
    styled: true,
    rate: 24_000,
    metadata: { style_dim: "100,1,4", n_speakers: "3", ...metadata }
  }),
  "voices.bin": styles(3),
  "tokens.txt": tinyTokens(phonemes)
})

const speaker_names = "af_heart,bm_george,ef_dora"
write("kokoro", {
  ...styled({ model_type: "kokoro", version: "2", speaker_names }),
  "lexicon-us-en.txt": "a a\n",
  "lexicon-zh.txt": "b b\n"
})
// Without lexicons, sherpa-onnx requires a language.
write("plain", styled({ model_type: "kokoro", version: "2", speaker_names }))
write(
  "kitten",
  styled({ model_type: "kitten-tts", style_dim: "100,4", speaker_names: "expr-voice-2-m,expr-voice-2-f" })
)
write("matcha", {
  "model-steps-3.onnx": tinyModel({ scales: 2, metadata: { use_eos_bos: "1", pad_id: "0" } }),
  "vocos-22khz-univ.onnx": tinyVocoder(),
  "tokens.txt": tinyTokens(phonemes)
})
// A voice like those for Chinese, with a lexicon instead of eSpeak NG.
write("baker", {
  "model-steps-3.onnx": tinyModel({
    scales: 2,
    metadata: { use_eos_bos: "0", pad_id: "0", jieba: "1", has_espeak: "0", voice: "zh" }
  }),
  "vocos-22khz-univ.onnx": tinyVocoder(),
  "tokens.txt": tinyTokens(),
  "lexicon.txt": "好 a b\n"
})
write("supertonic", {
  "duration_predictor.int8.onnx": tinyModel(),
  "text_encoder.int8.onnx": tinyModel(),
  "vector_estimator.int8.onnx": tinyModel(),
  "vocoder.int8.onnx": tinyModel(),
  "tts.json": JSON.stringify({
    ae: { sample_rate: 44_100, base_chunk_size: 512 },
    ttl: { latent_dim: 24, chunk_compress_factor: 6 }
  }),
  "unicode_indexer.bin": Buffer.from(BigInt64Array.from({ length: 256 }, (_, at) => BigInt(at)).buffer),
  "voice.bin": Buffer.concat([
    Buffer.from(BigInt64Array.from([2n, 2n, 3n, 2n, 1n, 2n]).buffer),
    Buffer.alloc(4 * 2 * (6 + 2))
  ])
})
writeSpellingVoice(folderOf("letters"))

const espeak = join(cache, "espeak-ng-data-0.3.5")
const styledFiles = (name: string) => ({
  model: join(folderOf(name), "model.onnx"),
  voices: join(folderOf(name), "voices.bin"),
  tokens: join(folderOf(name), "tokens.txt"),
  dataDir: espeak
})
const matchaFiles = (name: string) => ({
  acousticModel: join(folderOf(name), "model-steps-3.onnx"),
  vocoder: join(folderOf(name), "vocos-22khz-univ.onnx"),
  tokens: join(folderOf(name), "tokens.txt"),
  noiseScale: 1e-20
})
const inKokoro = (file: string) => join(folderOf("kokoro"), file)
const inSupertonic = (file: string) => join(folderOf("supertonic"), file)

/** The settings of each voice: its family's, in sherpa-onnx's names. */
const settings = {
  letters: {
    vits: {
      model: join(folderOf("letters"), "model.onnx"),
      tokens: join(folderOf("letters"), "tokens.txt"),
      noiseScale: 1e-20,
      noiseScaleW: 1e-20,
      lengthScale: 1
    }
  },
  kokoro: {
    kokoro: {
      ...styledFiles("kokoro"),
      lexicon: `${inKokoro("lexicon-us-en.txt")},${inKokoro("lexicon-zh.txt")}`
    }
  },
  plain: { kokoro: { ...styledFiles("plain"), lang: "en-us" } },
  kitten: { kitten: styledFiles("kitten") },
  matcha: { matcha: { ...matchaFiles("matcha"), dataDir: espeak } },
  baker: { matcha: { ...matchaFiles("baker"), lexicon: join(folderOf("baker"), "lexicon.txt") } },
  supertonic: {
    supertonic: {
      durationPredictor: inSupertonic("duration_predictor.int8.onnx"),
      textEncoder: inSupertonic("text_encoder.int8.onnx"),
      vectorEstimator: inSupertonic("vector_estimator.int8.onnx"),
      vocoder: inSupertonic("vocoder.int8.onnx"),
      ttsJson: inSupertonic("tts.json"),
      unicodeIndexer: inSupertonic("unicode_indexer.bin"),
      voiceStyle: inSupertonic("voice.bin")
    }
  }
} as const

/** An engine with one of the builds. */
const engineWith = Effect.fnUntraced(function* (kind: "native" | "wasm") {
  const wrapped = wrappedSherpa(folderOf(`package-${kind}`), kind)
  const voices = Object.keys(settings).map((id) => ({ id, name: id, path: folderOf(id) }))
  const { packages } = wrapped
  const engine = yield* makeSherpaEngine({ name: "neural", voices, cache, packages, processes: 1 })
  return {
    settings: wrapped.settings,
    speak: (voice: string, text: string) => Effect.map(engine.speak(request(voice, text)), pcm)
  }
})

/** A voice of each family, the text to speak, and the speech's sample rate. */
const spoken: ReadonlyArray<
  readonly [model: keyof typeof settings, voice: string, text: string, rate: number]
> = [
  ["kokoro", "kokoro.af_heart", "after the bath", 24_000],
  ["plain", "plain.af_heart", "after the bath", 24_000],
  ["kitten", "kitten.expr-voice-2-m", "hello world", 24_000],
  ["matcha", "matcha", "hello world", 22_050],
  ["baker", "baker", "好好", 22_050]
]

it.scopedLive("each family gets its settings whole, and speaks with both builds", () =>
  Effect.gen(function* () {
    const native = yield* engineWith("native")
    for (const [, voice, text, rate] of spoken) {
      const speech = yield* native.speak(voice, text)
      expect([voice, speech.rate, lengthOf(speech) > 100]).toEqual([voice, rate, true])
    }
    expect(native.settings()).toEqual(
      spoken.map(([model]) => ({
        model: { ...settings[model], numThreads: 1, provider: "cpu", debug: false },
        maxNumSentences: 1
      }))
    )
    const heart = yield* native.speak("kokoro.af_heart", "after the bath")
    // Speakers and languages sound different.
    const george = yield* native.speak("kokoro.bm_george", "after the bath")
    const dora = yield* native.speak("kokoro.ef_dora", "after the bath")
    expect(new Set([heart, george, dora].map(digest)).size).toBe(3)

    const wasm = yield* engineWith("wasm")
    const same = yield* wasm.speak("kokoro.af_heart", "after the bath")
    expect(same.rate).toBe(24_000)
    expect(same.samples.length).toBe(heart.samples.length)
    expect(same.samples.every((sample, at) => Math.abs(sample - (heart.samples[at] ?? 0)) <= 1)).toBe(true)
    expect((yield* wasm.speak("letters", "hello world")).rate).toBe(22_050)
    // These models load, but compute nothing that could be spoken.
    expect((yield* Effect.flip(wasm.speak("supertonic.en.1", "hello world"))).message).toMatch(
      /^engine neural: sherpa-onnx returned no audio for a sentence/u
    )
    const common = { numThreads: 1, provider: "cpu", debug: 0 }
    expect(wasm.settings()).toEqual(
      [
        { offlineTtsKokoroModelConfig: settings.kokoro.kokoro, ...common },
        { offlineTtsVitsModelConfig: settings.letters.vits, ...common },
        { offlineTtsSupertonicModelConfig: settings.supertonic.supertonic, ...common }
      ].map((offlineTtsModelConfig) => ({ offlineTtsModelConfig, maxNumSentences: 1 }))
    )
  })
)

test("sherpa-onnx's own code reads every one of these settings", () => {
  const source = readFileSync(
    createRequire(import.meta.url).resolve("sherpa-onnx/sherpa-onnx-tts.js"),
    "utf8"
  )
  for (const [family, own] of Object.values(settings).flatMap((each) => Object.entries(each))) {
    const name = `${family.slice(0, 1).toUpperCase()}${family.slice(1)}`
    const [, body = ""] = source.split(`function initSherpaOnnxOfflineTts${name}ModelConfig(`)
    const [read = ""] = body.split("\nfunction ")
    const unread = Object.keys(own).filter((key) => !new RegExp(`config\\.${key}\\b`, "u").test(read))
    expect([family, unread]).toEqual([family, []])
  }
})

test("checks what a family needs besides its files", async () => {
  const context = { cache, steady: true, espeakData: async () => "/espeak-data" }
  const rejected = (name: string, metadata: Readonly<Record<string, string>>) => {
    const model = join(folderOf(name), "model-steps-3.onnx")
    writeFileSync(model, tinyModel({ metadata: { use_eos_bos: "0", pad_id: "0", ...metadata } }))
    return checkModel(folderOf(name), context).then(
      () => "accepted",
      (cause: Error) => cause.message.replace(home, "")
    )
  }
  expect(await rejected("matcha", { jieba: "1", has_espeak: "0" })).toBe(
    "/matcha: its lexicon (lexicon.txt) is missing"
  )
})
