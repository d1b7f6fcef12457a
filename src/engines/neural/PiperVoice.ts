/**
 * Plain Piper voices (`*.onnx` with `*.onnx.json`), made loadable for sherpa-onnx. Their settings are appended to a
 * copy of the model as metadata, and their phoneme table is written as tokens.txt. The user's files stay unchanged.
 */
import { createHash, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { appendFile, chmod, copyFile, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { Either, Schema } from "effect"
import { ModelUnusable } from "./ModelFault.ts"
import { onnxMetadataBytes } from "./OnnxMetadata.ts"

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
export type PiperSettings = typeof PiperSettings.Type

/** Reads the settings of a Piper voice; undefined if the file is absent. */
export const readPiperSettings = async (file: string): Promise<PiperSettings | undefined> => {
  if (!existsSync(file)) return undefined
  const decoded = Schema.decodeUnknownEither(Schema.parseJson(PiperSettings))(await readFile(file, "utf8"))
  if (Either.isLeft(decoded))
    throw new ModelUnusable({ path: file, detail: "invalid settings; expected those of a Piper voice" })
  return decoded.right
}

/** A voice as sherpa-onnx loads it. */
export interface ConvertedVoice {
  readonly model: string
  readonly tokens: string
}

/** Converts a voice into a folder of `cache` that belongs to this version of its file. Does so once. */
export const convertPiper = async (
  model: string,
  settings: PiperSettings,
  cache: string
): Promise<ConvertedVoice> => {
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
