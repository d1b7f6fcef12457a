/** The error of an unusable folder with a neural voice, and the checks of its files that do not load the model. */
import { basename } from "node:path"
import { Schema } from "effect"
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
  readonly count: (key: string, least: number) => number
}

/** Reads a model's metadata. Throws `ModelUnusable` if the file is not a complete ONNX model. */
export const metadataOf = async (file: string): Promise<ModelMetadata> => {
  const found = await readOnnxMetadata(file)
  if (typeof found === "string")
    throw new ModelUnusable({ path: file, detail: `${found}; download the voice again` })
  return {
    get: (key) => found.get(key),
    count: (key, least) => {
      const text = found.get(key) ?? ""
      const value = Number(text)
      if (text === "" || !Number.isInteger(value) || value < least)
        throw new ModelUnusable({
          path: file,
          detail: `its metadata has ${key} "${text}"; expected a whole number from ${least}`
        })
      return value
    }
  }
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
