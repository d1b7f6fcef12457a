/** The check of voice folders: it recognises neural voices, and rejects damaged ones before sherpa-onnx loads them. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { espeakDataFolder } from "../../../src/engines/neural/EspeakData.ts"
import { checkModel } from "../../../src/engines/neural/ModelFolder.ts"
import { readOnnxMetadata } from "../../../src/engines/neural/OnnxMetadata.ts"
import { tinyModel, writePiperVoice, writeSpellingVoice } from "./tinyVoice.ts"

const home = mkdtempSync(join(tmpdir(), "dubwright-models-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const espeakData = join(home, "espeak-data")
for (const [file, name] of [
  ["aav/vi", "Vietnamese (Northern)"],
  ["gmw/en-GB-x-rp", "English (Received Pronunciation)"],
  ["gmw/en-US", "English (America)"]
] as const) {
  mkdirSync(join(espeakData, "lang", dirname(file)), { recursive: true })
  writeFileSync(join(espeakData, "lang", file), `name ${name}\nlanguage x\n`)
}
const context = { cache: join(home, "cache"), steady: true, espeakData: async () => espeakData }
let count = 0
const newFolder = () => join(home, `voice-${++count}`)

/** Writes files into a new folder. */
const folderWith = (files: Readonly<Record<string, string | Buffer>>): string => {
  const folder = newFolder()
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const styled = (metadata: Readonly<Record<string, string>>, bytes: number) =>
  folderWith({
    "model.onnx": tinyModel({ metadata: { style_dim: "2,1,4", ...metadata } }),
    "voices.bin": Buffer.alloc(bytes),
    "tokens.txt": "a 1\nab 2\n",
    "lexicon-us-en.txt": "a a\n"
  })

const supertonicFiles = {
  "duration_predictor.int8.onnx": tinyModel(),
  "text_encoder.int8.onnx": tinyModel(),
  "vector_estimator.int8.onnx": tinyModel(),
  "vocoder.int8.onnx": tinyModel(),
  "tts.json": "{}",
  "unicode_indexer.bin": "x"
}
/** Supertonic's styles: two shapes, then the floats of both. */
const styles = (number: number) =>
  Buffer.concat([
    Buffer.from(BigInt64Array.from([number, 2, 3, number, 1, 2].map(BigInt)).buffer),
    Buffer.alloc(4 * number * (6 + 2))
  ])

/** Checks a folder; its path is left out of the result. */
const checked = async (folder: string) =>
  JSON.parse(
    JSON.stringify(await checkModel(folder, context))
      .replaceAll(folder, "")
      .replaceAll(home, "")
  )

describe("recognises", () => {
  test("a voice of letters", async () => {
    expect(await checked(writeSpellingVoice(newFolder()))).toEqual({
      family: "vits",
      config: {
        vits: {
          model: "/model.onnx",
          tokens: "/tokens.txt",
          noiseScale: 1e-20,
          noiseScaleW: 1e-20,
          lengthScale: 1
        }
      },
      speakers: [{ suffix: "", sid: 0, name: "", language: "en-US" }]
    })
  })

  test("Kokoro and Kitten, with the languages of their speakers", async () => {
    const speaker_names = "af_heart,bm_george,ef_dora,jf_alpha"
    const kokoro = await checked(styled({ n_speakers: "4", speaker_names, version: "2" }, 4 * 8 * 4))
    expect(kokoro).toEqual({
      family: "kokoro",
      config: {
        kokoro: {
          model: "/model.onnx",
          voices: "/voices.bin",
          tokens: "/tokens.txt",
          dataDir: "/espeak-data",
          lexicon: "/lexicon-us-en.txt"
        }
      },
      speakers: [
        { suffix: "af_heart", sid: 0, name: "af_heart", gender: "female", language: "en-US" },
        { suffix: "bm_george", sid: 1, name: "bm_george", gender: "male", language: "en-GB", spokenAs: "en" },
        { suffix: "ef_dora", sid: 2, name: "ef_dora", gender: "female", language: "es", spokenAs: "es" }
      ]
    })
    const kitten = await checked(
      styled({ model_type: "kitten-tts", n_speakers: "2", speaker_names: "expr-voice-2-m" }, 4 * 8 * 2)
    )
    expect(kitten).toMatchObject({
      family: "kitten",
      speakers: [
        { suffix: "expr-voice-2-m", sid: 0, name: "expr-voice-2-m", gender: "male", language: "en-US" },
        { suffix: "1", sid: 1, name: "1", language: "en-US" }
      ]
    })
  })

  test("Matcha, with its vocoder", async () => {
    const folder = folderWith({
      "model-steps-3.onnx": tinyModel({ metadata: { use_eos_bos: "1", pad_id: "0" } }),
      "vocos-22khz-univ.onnx": tinyModel(),
      "tokens.txt": "a 1\n"
    })
    expect(await checked(folder)).toMatchObject({
      family: "matcha",
      config: {
        matcha: {
          acousticModel: "/model-steps-3.onnx",
          vocoder: "/vocos-22khz-univ.onnx",
          dataDir: "/espeak-data",
          noiseScale: 1e-20
        }
      }
    })
  })

  test("Supertonic, with every speaker in every language", async () => {
    const { family, config, speakers } = await checkModel(
      folderWith({ ...supertonicFiles, "voice.bin": styles(10) }),
      context
    )
    expect(family).toBe("supertonic")
    expect(Object.keys(config["supertonic"] ?? {}).length).toBe(7)
    expect(speakers.length).toBe(310)
    expect(speakers.filter(({ language }) => language === "vi").at(-1)).toEqual({
      suffix: "vi.M5",
      sid: 9,
      name: "M5",
      gender: "male",
      language: "vi",
      spokenAs: "vi"
    })
  })

  test("a plain Piper voice, whose files stay as they are", async () => {
    const folder = newFolder()
    const model = writePiperVoice(folder, "vi_VN-x-low", {
      num_speakers: 2,
      speaker_id_map: { linh: 1 },
      inference: { length_scale: 1.2 }
    })
    const before = readFileSync(model)
    const { config, speakers } = await checkModel(model, context)
    expect(await checkModel(folder, context)).toMatchObject({ config })
    expect(readFileSync(model).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(["vi_VN-x-low.onnx", "vi_VN-x-low.onnx.json"])
    expect(speakers).toEqual([
      { suffix: "0", sid: 0, name: "speaker 0", language: "vi-VN" },
      { suffix: "1", sid: 1, name: "linh", language: "vi-VN" }
    ])
    const vits = config["vits"] ?? {}
    expect(vits["lengthScale"]).toBe(1.2)
    expect(Object.fromEntries(await metadataIn(String(vits["model"])))).toEqual({
      model_type: "vits",
      comment: "piper",
      language: "vi_VN",
      voice: "vi",
      has_espeak: "1",
      n_speakers: "2",
      sample_rate: "22050"
    })
    const symbols = readFileSync(String(vits["tokens"]), "utf8").split("\n")
    expect(symbols.slice(0, 4)).toEqual(["_ 0", "^ 1", "$ 2", "  3"])
    expect(symbols.some((line) => line.startsWith("ch "))).toBe(false)
  })
})

const metadataIn = async (file: string) => {
  const found = await readOnnxMetadata(file)
  if (typeof found === "string") throw new Error(found)
  return found
}

/** A voice of letters with one file replaced. */
const spelled = (name: string, content: string | Buffer) => {
  const folder = writeSpellingVoice(newFolder())
  writeFileSync(join(folder, name), content)
  return folder
}
const withMetadata = (metadata: Readonly<Record<string, string>>) =>
  writeSpellingVoice(newFolder(), { metadata })

test.each<readonly [title: string, make: () => string, message: string]>([
  [
    "no folder",
    () => newFolder(),
    ": no such voice or folder; dubwright voices list shows the installed ones"
  ],
  ["an empty folder", () => folderWith({}), ": no model in this folder; expected a file *.onnx"],
  [
    "several models",
    () => folderWith({ "a.onnx": "a", "b.onnx": "b" }),
    ": 2 models in this folder; name one of the *.onnx files instead"
  ],
  ["an empty model", () => spelled("model.onnx", ""), "/model.onnx: it is empty; download the voice again"],
  [
    "a page instead of a model",
    () => spelled("model.onnx", "<!DOCTYPE html><title>404</title>"),
    "/model.onnx: it is not an ONNX model; download the voice again"
  ],
  [
    "an incomplete model",
    () => spelled("model.onnx", tinyModel().subarray(0, 900)),
    "/model.onnx: it is incomplete; download the voice again"
  ],
  [
    "metadata that is no number",
    () => withMetadata({ n_speakers: "many" }),
    '/model.onnx: its metadata has n_speakers "many"; expected a whole number from 0'
  ],
  [
    "Piper settings that are none",
    () => spelled("model.onnx.json", "{}"),
    "/model.onnx.json: invalid settings; expected those of a Piper voice"
  ],
  [
    "a Piper voice of another kind",
    () => {
      const folder = newFolder()
      writePiperVoice(folder, "x", { phoneme_type: "pinyin" })
      return folder
    },
    '/x.onnx: its phoneme type is "pinyin"; expected espeak'
  ],
  [
    "Matcha without a vocoder",
    () => folderWith({ "model-steps-3.onnx": tinyModel() }),
    ": its vocoder (vocos*.onnx) is missing"
  ],
  [
    "Supertonic without a model",
    () => folderWith({ "tts.json": "{}" }),
    ": its model duration_predictor*.onnx is missing"
  ],
  [
    "Supertonic without styles",
    () => folderWith({ ...supertonicFiles, "voice.bin": "short" }),
    "/voice.bin: it has no voice styles"
  ]
])("rejects %s", async (_, make, message) => {
  const folder = make()
  const rejected = await checkModel(folder, context).then(
    () => "accepted",
    (cause: Error) => cause.message.replace(folder, "")
  )
  expect(rejected).toBe(message)
})

test("unpacks eSpeak NG's data once, as a whole", async () => {
  const cache = join(home, "espeak")
  const [folder = "", same] = await Promise.all([espeakDataFolder(cache), espeakDataFolder(cache)])
  expect(same).toBe(folder)
  expect(readdirSync(cache)).toEqual([folder.slice(cache.length + 1)])
  for (const file of ["phontab", "phonindex", "phondata", "intonations", "en_dict", "vi_dict", "lang/aav/vi"])
    expect(readFileSync(join(folder, file)).length).toBeGreaterThan(0)
  appendFileSync(join(folder, "phontab"), "kept")
  await espeakDataFolder(cache)
  expect(readFileSync(join(folder, "phontab")).toString("latin1")).toMatch(/kept$/u)
})
