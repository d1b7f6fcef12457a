/** The error of an unusable folder with a neural voice, and the checks of its files that do not load the model. */
import { readFile, stat } from "node:fs/promises"
import { basename } from "node:path"
import { Schema } from "effect"
import { espeakVoiceNames } from "./EspeakData.ts"
import { readOnnxMetadata } from "./OnnxMetadata.ts"

/** The files of a neural voice are missing, damaged or of another kind. */
export class ModelUnusable extends Schema.TaggedError<ModelUnusable>()("ModelUnusable", {
  /** The folder or file. */
  path: Schema.String,
  /** The fault and the expected content. */
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

/** A model's metadata, with errors that name the file. */
export interface ModelMetadata {
  readonly get: (key: string) => string | undefined
  readonly text: (key: string) => string
  readonly count: (key: string, least: number) => number
}

/** Reads a model's metadata. Throws `ModelUnusable` if the file is not a complete ONNX model. */
export const metadataOf = async (file: string): Promise<ModelMetadata> => {
  const found = await readOnnxMetadata(file)
  if (typeof found === "string")
    throw new ModelUnusable({ path: file, detail: `${found}; download the voice again` })
  const text = (key: string): string => {
    const value = found.get(key)
    if (value === undefined || value === "")
      throw new ModelUnusable({
        path: file,
        detail: `its metadata has no "${key}"; expected a model converted for sherpa-onnx`
      })
    return value
  }
  return {
    get: (key) => found.get(key),
    text,
    count: (key, least) => {
      const value = Number(text(key))
      if (!Number.isInteger(value) || value < least)
        throw new ModelUnusable({
          path: file,
          detail: `its metadata has ${key} "${text(key)}"; expected a whole number from ${least}`
        })
      return value
    }
  }
}

/** Checks a token table: one symbol and its number a line. Wrong lines would end the engine's process. */
export const checkTokens = async (file: string, single: boolean): Promise<void> => {
  const seen = new Set<string>()
  const lines = (await readFile(file, "utf8")).split("\n")
  if (lines.at(-1) === "") lines.pop()
  const fault = (line: number, detail: string) =>
    new ModelUnusable({ path: `${file}:${line}`, detail: `${detail}; expected one symbol and its number` })
  if (lines.length === 0) throw fault(1, "the file is empty")
  for (const [index, line] of lines.entries()) {
    const symbol = /^(.*?)[ \t]+\d+\s*$/u.exec(line)?.[1]
    if (symbol === undefined) throw fault(index + 1, "invalid line")
    if (!single || markers.has(symbol)) continue
    // A space is written as nothing before its number.
    const character = symbol === "" ? " " : symbol
    if (Array.from(character).length !== 1) throw fault(index + 1, `"${symbol}" has several characters`)
    if (seen.has(character)) throw fault(index + 1, `"${symbol}" occurs twice`)
    seen.add(character)
  }
}

/** Symbols of several characters that the engine knows. */
const markers = new Set(["<BLNK>", "<PAD>", "<EOS>", "<BOS>"])

/** Checks that eSpeak NG has the voice that a model's file names. Without it, no text could be spoken. */
export const checkEspeakVoice = async (dataFolder: string, voice: string, file: string): Promise<void> => {
  const names = await espeakVoiceNames(dataFolder)
  const [plain = ""] = voice.toLowerCase().split("+")
  if (names.some((name) => name.toLowerCase() === plain)) return
  const [language] = plain.split("-")
  const alike = names.filter((name) => name.toLowerCase().split("-")[0] === language).sort()
  throw new ModelUnusable({
    path: file,
    detail: `it names the eSpeak NG voice "${voice}", which does not exist; expected one such as ${(alike.length > 0 ? alike : ["en-us", "vi"]).join(", ")}`
  })
}

/** Checks that a file with voice styles has the size that its model needs. */
export const checkSize = async (file: string, expected: number): Promise<void> => {
  const { size } = await stat(file)
  if (size !== expected)
    throw new ModelUnusable({
      path: file,
      detail: `it has ${size} bytes, but its model needs ${expected}; download the voice again`
    })
}

/** Returns the one file of a folder that matches; throws if there is none. A full-precision model is preferred. */
export const fileOf = (
  folder: string,
  files: ReadonlyArray<string>,
  pattern: RegExp,
  named: string
): string => {
  const found = files.filter((file) => pattern.test(basename(file)))
  const best = found.find((file) => !/int8|fp16/u.test(file)) ?? found[0]
  if (best === undefined) throw new ModelUnusable({ path: folder, detail: `${named} is missing` })
  return best
}
