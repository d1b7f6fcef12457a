/** Recognises the family of a neural voice by its files, checks them, and describes how to load it. */
import { readdir, readFile, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import {
  canonicalTag,
  kittenSpeakers,
  kokoroSpeakers,
  type ModelSpeaker,
  supertonicSpeakers
} from "./ModelSpeakers.ts"
import { fileOf, metadataOf, type ModelMetadata, ModelUnusable } from "./ModelFault.ts"
import { convertPiper, readPiperSettings } from "./PiperVoice.ts"
import type { ModelConfig } from "./SherpaProtocol.ts"

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
const espeakFor = async (
  folder: string,
  files: ReadonlyArray<string>,
  { espeakData }: ModelContext
): Promise<{ readonly dataDir: string }> => {
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
