/** Recognises the family of a neural voice by its files, checks them, and describes how to load it. */
import {
  readdir,
  readFile,
  stat,
  appendFile,
  chmod,
  copyFile,
  mkdir,
  rename,
  rm,
  writeFile
} from "node:fs/promises"
import { dirname, join, basename } from "node:path"
import { createHash, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { Either, Schema } from "effect"
import {
  canonicalTag,
  kittenSpeakers,
  kokoroSpeakers,
  supertonicSpeakers,
  type ModelSpeaker
} from "./ModelSpeakers.ts"
import { fileOf, metadataOf, ModelUnusable, type ModelMetadata } from "./ModelFault.ts"
import type { ModelConfig } from "./SherpaProtocol.ts"
import { onnxMetadataBytes } from "./OnnxMetadata.ts"

/** A model that passed all checks. */
export interface CheckedModel {
  readonly family: "vits" | "kokoro" | "kitten" | "matcha" | "supertonic"
  readonly config: ModelConfig
  readonly speakers: ReadonlyArray<ModelSpeaker>
}

/** The context of a check. */
export interface ModelContext {
  /** A folder for files that can be made again. */
  readonly cache: string
  /** Whether equal texts must give equal samples. */
  readonly steady: boolean
  /** Returns the folder with eSpeak NG's data; undefined if there is none. */
  readonly espeakData: () => Promise<string | undefined>
}

/** Practically no noise. 0 would select the model's default noise, and sherpa-onnx has no seed. */
const noNoise = 1e-20

/** Checks a voice: a folder, or the `.onnx` file of a Piper voice. Throws `ModelUnusable`. */
export const checkModel = async (path: string, context: ModelContext): Promise<CheckedModel> => {
  try {
    const isFile = (await stat(path)).isFile()
    const folder = isFile ? dirname(path) : path
    const files = (await readdir(folder)).map((name) => join(folder, name))
    if (isFile) return await checkVits(path, folder, files, context)
    const has = (name: string) => files.includes(join(folder, name))
    if (has("tts.json")) return await checkSupertonic(folder, files)
    if (has("voices.bin")) return await checkStyled(folder, files, context)
    if (files.some((file) => /model-steps-\d+\.onnx$/u.test(file)))
      return await checkMatcha(folder, files, context)
    const models = files.filter((file) => file.endsWith(".onnx"))
    const best = models.filter((file) => !/int8|fp16/u.test(file))
    const [model, ...others] = best.length > 0 ? best : models
    if (model === undefined)
      throw new ModelUnusable({ path, detail: "no model in this folder; expected a file *.onnx" })
    if (others.length > 0)
      throw new ModelUnusable({
        path,
        detail: `${others.length + 1} models in this folder; name one of the *.onnx files instead`
      })
    return await checkVits(model, folder, files, context)
  } catch (cause) {
    if (cause instanceof ModelUnusable) throw cause
    throw new ModelUnusable({ path, detail: systemWords(cause) })
  }
}

const checkVits = async (
  model: string,
  folder: string,
  files: ReadonlyArray<string>,
  context: ModelContext
): Promise<CheckedModel> => {
  const settings = await readPiperSettings(`${model}.json`)
  const found = await metadataOf(model)
  const plain = found.get("sample_rate") === undefined ? settings : undefined
  const lexicon = files.find((file) => /lexicon\.txt$/u.test(file))
  const isSpelled = found.get("frontend") === "characters"
  const usesEspeak = !isSpelled && lexicon === undefined
  const espeak = usesEspeak ? await espeakFor(folder, files, context) : {}
  const { model: loadable, tokens } =
    plain === undefined
      ? { model, tokens: join(folder, "tokens.txt") }
      : await convertPiper(model, plain, context.cache)
  const metadata = plain === undefined ? found : await metadataOf(loadable)
  return {
    family: "vits",
    config: {
      vits: {
        model: loadable,
        tokens,
        ...espeak,
        ...(lexicon === undefined ? {} : { lexicon }),
        ...(context.steady ? { noiseScale: noNoise, noiseScaleW: noNoise } : {}),
        lengthScale: settings?.inference?.length_scale ?? 1
      }
    },
    speakers: numbered(
      metadata.count("n_speakers", 0),
      languageOf(metadata, settings?.language?.code),
      settings
    )
  }
}

/** Kokoro and Kitten: a model with a file of voice styles. */
const checkStyled = async (
  folder: string,
  files: ReadonlyArray<string>,
  context: ModelContext
): Promise<CheckedModel> => {
  const model = fileOf(folder, files, /^model.*\.onnx$/u, "its model (model*.onnx)")
  const tokens = fileOf(folder, files, /^tokens\.txt$/u, "tokens.txt")
  const voices = join(folder, "voices.bin")
  const metadata = await metadataOf(model)
  const family = metadata.get("model_type") === "kitten-tts" ? "kitten" : "kokoro"
  const count = metadata.count("n_speakers", 1)
  const names = (metadata.get("speaker_names") ?? "").split(",").map((name) => name.trim())
  const espeak = await espeakFor(folder, files, context)
  const common = { model, voices, tokens, ...espeak }
  if (family === "kitten")
    return { family, config: { kitten: common }, speakers: kittenSpeakers(names, count) }
  const isMultilingual = Number(metadata.get("version") ?? 1) > 1
  const lexicons = ["lexicon-us-en.txt", "lexicon-zh.txt"]
    .map((name) => join(folder, name))
    .filter((file) => files.includes(file))
  const lexicon = lexicons.length === 0 ? {} : { lexicon: lexicons.join(",") }
  return {
    family,
    // A multilingual model ends the process if it has neither lexicons nor a language.
    config: {
      kokoro: { ...common, ...(isMultilingual && lexicons.length === 0 ? { lang: "en-us" } : lexicon) }
    },
    speakers: kokoroSpeakers(names, count, isMultilingual)
  }
}

const checkMatcha = async (
  folder: string,
  files: ReadonlyArray<string>,
  context: ModelContext
): Promise<CheckedModel> => {
  const acousticModel = fileOf(folder, files, /^model-steps-\d+\.onnx$/u, "its model (model-steps-N.onnx)")
  const vocoder = fileOf(folder, files, /^(?:vocos|hifigan).*\.onnx$/u, "its vocoder (vocos*.onnx)")
  const tokens = fileOf(folder, files, /^tokens\.txt$/u, "tokens.txt")
  const metadata = await metadataOf(acousticModel)
  // Chinese models have a lexicon; those that read English, too, need eSpeak NG for it.
  const isBilingual = metadata.get("voice") === "zh en-us"
  const isChinese = metadata.get("jieba") === "1" || isBilingual
  const usesEspeak = metadata.get("has_espeak") === "1" || isBilingual
  const lexicon = isChinese ? fileOf(folder, files, /lexicon\.txt$/u, "its lexicon (lexicon.txt)") : undefined
  return {
    family: "matcha",
    config: {
      matcha: {
        acousticModel,
        vocoder,
        tokens,
        ...(usesEspeak ? await espeakFor(folder, files, context) : {}),
        ...(lexicon === undefined ? {} : { lexicon }),
        ...(context.steady ? { noiseScale: noNoise } : {})
      }
    },
    speakers: numbered(metadata.count("n_speakers", 0), languageOf(metadata, undefined), undefined)
  }
}

const checkSupertonic = async (folder: string, files: ReadonlyArray<string>): Promise<CheckedModel> => {
  const model = (name: string) =>
    fileOf(folder, files, new RegExp(`^${name}.*\\.onnx$`, "u"), `its model ${name}*.onnx`)
  const models = {
    durationPredictor: model("duration_predictor"),
    textEncoder: model("text_encoder"),
    vectorEstimator: model("vector_estimator"),
    vocoder: model("vocoder")
  }
  const ttsJson = join(folder, "tts.json")
  const unicodeIndexer = fileOf(folder, files, /^unicode_indexer\.bin$/u, "unicode_indexer.bin")
  const voiceStyle = fileOf(folder, files, /^voice\.bin$/u, "voice.bin")
  return {
    family: "supertonic",
    config: { supertonic: { ...models, ttsJson, unicodeIndexer, voiceStyle } },
    speakers: supertonicSpeakers(await styleCount(voiceStyle))
  }
}

/** Reads a file of Supertonic's voice styles: two shapes of three 64-bit numbers, then both arrays of floats. */
const styleCount = async (file: string): Promise<number> => {
  const bytes = await readFile(file)
  const header = 6 * 8
  const count = bytes.length < header ? 0 : Number(bytes.readBigInt64LE(0))
  if (count < 1 || count !== Number(bytes.readBigInt64LE(24)))
    throw new ModelUnusable({ path: file, detail: "it has no voice styles" })
  return count
}

/**
 * Returns the setting with eSpeak NG's data folder. Prefers the common one, so that all voices pronounce alike;
 * otherwise uses the voice's own.
 */
const espeakFor = async (folder: string, files: ReadonlyArray<string>, { espeakData }: ModelContext) => {
  const own = join(folder, "espeak-ng-data")
  const found = (await espeakData()) ?? (files.includes(own) ? own : undefined)
  if (found === undefined)
    throw new ModelUnusable({
      path: folder,
      detail: "the folder espeak-ng-data is missing, and eSpeak NG is not installed"
    })
  return { dataDir: found }
}

const languageOf = (metadata: ModelMetadata, code: string | undefined): string | undefined =>
  canonicalTag(code ?? metadata.get("voice") ?? metadata.get("language") ?? "")

/** The speakers of a model that numbers them, with the names that its settings have. */
const numbered = (
  count: number,
  language: string | undefined,
  settings: { readonly speaker_id_map?: Readonly<Record<string, number>> | undefined } | undefined
): ReadonlyArray<ModelSpeaker> => {
  const tagged = language === undefined ? {} : { language }
  if (count < 2) return [{ suffix: "", sid: 0, name: "", ...tagged }]
  const names = new Map(Object.entries(settings?.speaker_id_map ?? {}).map(([name, sid]) => [sid, name]))
  return Array.from({ length: count }, (_, sid) => ({
    suffix: String(sid),
    sid,
    name: names.get(sid) ?? `speaker ${sid}`,
    ...tagged
  }))
}

const systemWords = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOENT"
    ? "no such voice or folder; dubwright voices list shows the installed ones"
    : cause instanceof Error
      ? cause.message
      : String(cause)
}

/**
 * Plain Piper voices (`*.onnx` with `*.onnx.json`), made loadable for sherpa-onnx. Their settings are appended to a
 * copy of the model as metadata, and their phoneme table is written as tokens.txt. The user's files stay unchanged.
 */

/** The settings of a Piper voice that are used here. */
const PiperSettings = Schema.Struct({
  audio: Schema.Struct({ sample_rate: Schema.Int.pipe(Schema.between(8_000, 192_000)) }),
  espeak: Schema.Struct({ voice: Schema.NonEmptyString }),
  language: Schema.optional(Schema.Struct({ code: Schema.NonEmptyString })),
  inference: Schema.optional(Schema.Struct({ length_scale: Schema.optional(Schema.Positive) })),
  phoneme_type: Schema.optional(Schema.String),
  num_speakers: Schema.optional(Schema.Int),
  speaker_id_map: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Int })),
  phoneme_id_map: Schema.Record({ key: Schema.String, value: Schema.NonEmptyArray(Schema.Int) })
})
type PiperSettings = typeof PiperSettings.Type

/** Reads the settings of a Piper voice; undefined if the file is absent. */
const readPiperSettings = async (file: string): Promise<PiperSettings | undefined> => {
  if (!existsSync(file)) return undefined
  const decoded = Schema.decodeUnknownEither(Schema.parseJson(PiperSettings))(await readFile(file, "utf8"))
  if (Either.isLeft(decoded))
    throw new ModelUnusable({ path: file, detail: "invalid settings; expected those of a Piper voice" })
  return decoded.right
}

/** Converts a voice into a folder of `cache` that belongs to this version of its file. Does so once. */
const convertPiper = async (model: string, settings: PiperSettings, cache: string) => {
  if (settings.phoneme_type !== undefined && settings.phoneme_type !== "espeak")
    throw new ModelUnusable({
      path: model,
      detail: `its phoneme type is "${settings.phoneme_type}"; expected espeak`
    })
  const { size, mtimeMs } = await stat(model)
  const identity = createHash("sha256")
    .update(JSON.stringify([model, size, mtimeMs, settings]))
    .digest("hex")
  const folder = join(cache, "piper", `${basename(model, ".onnx")}-${identity.slice(0, 16)}`)
  const converted = { model: join(folder, "model.onnx"), tokens: join(folder, "tokens.txt") }
  if (existsSync(folder)) return converted
  const staging = join(cache, "piper", `.converting-${randomUUID()}`)
  await mkdir(staging, { recursive: true })
  try {
    const copy = join(staging, "model.onnx")
    await copyFile(model, copy)
    await chmod(copy, 0o644)
    await appendFile(copy, onnxMetadataBytes(metadataFor(settings)))
    await writeFile(join(staging, "tokens.txt"), tokensFor(settings))
    await rename(staging, folder)
  } catch (cause) {
    await rm(staging, { recursive: true, force: true })
    // Another process may have converted it meanwhile.
    if (!existsSync(folder)) throw cause
  }
  return converted
}

/** Returns eSpeak NG's voice for a Piper voice. "pt-PT" is Piper's only name that eSpeak NG does not have. */
const pronunciationOf = ({ espeak }: PiperSettings): string =>
  espeak.voice === "pt-PT" ? "pt" : espeak.voice

const metadataFor = (settings: PiperSettings): Readonly<Record<string, string>> => ({
  model_type: "vits",
  comment: "piper",
  language: settings.language?.code ?? settings.espeak.voice,
  voice: pronunciationOf(settings),
  has_espeak: "1",
  n_speakers: String(settings.num_speakers ?? 1),
  sample_rate: String(settings.audio.sample_rate)
})

/** The phoneme table. Symbols of several characters would end the engine's process, and it cannot produce them. */
const tokensFor = ({ phoneme_id_map }: PiperSettings): string =>
  Object.entries(phoneme_id_map)
    .filter(([symbol]) => symbol !== "\n" && Array.from(symbol).length === 1)
    .map(([symbol, [id]]) => `${symbol} ${id}\n`)
    .join("")
