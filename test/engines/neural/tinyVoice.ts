/**
 * Writes a neural voice of about 1 kB that sherpa-onnx loads: an ONNX graph with a tone for each symbol, and silence
 * for symbols up to 13 (blanks and punctuation). It has the inputs and the output of a Piper voice, or of Kokoro's and
 * Kitten's.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onnxMetadataBytes } from "../../../src/engines/neural/OnnxMetadata.ts"

/** The properties of a voice. */
export interface TinyVoice {
  /** Hertz; default 22,050. */
  readonly rate?: number
  /** Default 1. Each further speaker speaks 100 Hz higher. */
  readonly speakers?: number
  /** Samples of one symbol at speed 1; default 900. */
  readonly frame?: number
  /** Whether it has Kokoro's inputs: symbols, a style whose first number is the speaker's, and the speed. */
  readonly styled?: boolean
  /** How many scales it takes; default 3. Matcha has 2. */
  readonly scales?: number
  /** Added to the metadata. "" as a value leaves the key out. */
  readonly metadata?: Readonly<Record<string, string>>
}

const floatType = 1
const int64Type = 7

const varint = (value: number): Buffer => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}
const int = (field: number, value: number) => Buffer.concat([varint(field << 3), varint(value)])
const bytes = (field: number, content: Buffer | string) => {
  const raw = Buffer.from(content)
  return Buffer.concat([varint((field << 3) | 2), varint(raw.length), raw])
}
const message = (...parts: ReadonlyArray<Buffer>) => Buffer.concat(parts)

const constant = (name: string, type: number, shape: ReadonlyArray<number>, raw: Buffer) =>
  bytes(5, message(...shape.map((size) => int(1, size)), int(2, type), bytes(8, name), bytes(9, raw)))
const float = (name: string, value: number) =>
  constant(name, floatType, [], Buffer.from(Float32Array.of(value).buffer))
const integers = (name: string, values: ReadonlyArray<number>, shape: ReadonlyArray<number>) =>
  constant(name, int64Type, shape, Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer))

const node = (operator: string, inputs: string, output: string, castTo?: number) =>
  bytes(
    1,
    message(
      ...inputs.split(" ").map((input) => bytes(1, input)),
      bytes(2, output),
      bytes(4, operator),
      ...(castTo === undefined ? [] : [bytes(5, message(bytes(1, "to"), int(3, castTo), int(20, 2)))])
    )
  )
const port = (field: number, name: string, type: number, shape: ReadonlyArray<number | string>) => {
  const sizes = shape.map((size) => bytes(1, typeof size === "number" ? int(1, size) : bytes(2, size)))
  return bytes(
    field,
    message(bytes(1, name), bytes(2, bytes(1, message(int(1, type), bytes(2, message(...sizes))))))
  )
}

/** Returns the model's bytes. */
export const tinyModel = ({
  rate = 22_050,
  speakers = 1,
  frame = 900,
  styled = false,
  scales = 3,
  metadata = {}
}: TinyVoice = {}): Buffer => {
  const several = styled || speakers > 1
  const graph = message(
    // Samples of a symbol: the length scale times `frame`.
    ...(styled
      ? [
          node("Reciprocal", "speed", "slowness"),
          node("Gather", "slowness zero", "stretch"),
          node("Reshape", "style list", "styles"),
          node("Gather", "styles zero", "sid"),
          node("Identity", "silence", "noiseScale")
        ]
      : [node("Gather", "scales one", "stretch"), node("Gather", "scales zero", "noiseScale")]),
    node("Mul", "stretch frame", "length"),
    node("Cast", "length", "count", int64Type),
    node("Cast", "count", "countf", floatType),
    node("Range", "zero count one", "steps"),
    node("Cast", "steps", "n", floatType),
    // Each symbol has its pitch, each speaker adds to it.
    node("Cast", "input", "symbols", floatType),
    node("Reshape", "symbols column", "symbol"),
    node("Mul", "symbol apart", "offset"),
    node("Add", "offset lowest", "plain"),
    ...(several
      ? [
          node("Cast", "sid", "sidf", floatType),
          node("Mul", "sidf hundred", "higher"),
          node("Add", "plain higher", "pitch")
        ]
      : [node("Identity", "plain", "pitch")]),
    node("Mul", "pitch turn", "step"),
    node("Mul", "step n", "phase"),
    node("Sin", "phase", "wave"),
    // Each tone swells and fades; symbols up to 13 are silent.
    node("Div", "n countf", "part"),
    node("Mul", "part pi", "half"),
    node("Sin", "half", "swell"),
    node("Greater", "symbol quiet", "isLoud"),
    node("Cast", "isLoud", "loud", floatType),
    node("Mul", "loud volume", "gain"),
    node("Mul", "wave swell", "shaped"),
    node("Mul", "shaped gain", "tone"),
    // Noise, scaled as the caller asks.
    node("RandomNormalLike", "tone", "random"),
    node("Mul", "noiseScale little", "noiseGain"),
    node("Mul", "random noiseGain", "noise"),
    node("Add", "tone noise", "both"),
    node("Reshape", "both row", "output"),
    bytes(2, "tiny"),
    integers("zero", [0], []),
    integers("one", [1], []),
    integers("column", [-1, 1], [2]),
    integers("row", [1, 1, 1, -1], [4]),
    integers("list", [-1], [1]),
    float("silence", 0),
    float("frame", frame),
    float("apart", 7),
    float("lowest", 120),
    float("hundred", 100),
    float("turn", (2 * Math.PI) / rate),
    float("pi", Math.PI),
    float("quiet", 13.5),
    float("volume", 0.3),
    float("little", 0.01),
    port(11, "input", int64Type, [1, "T"]),
    ...(styled
      ? [port(11, "style", floatType, [1, "S"]), port(11, "speed", floatType, [1])]
      : [
          port(11, "input_lengths", int64Type, [1]),
          port(11, "scales", floatType, [scales]),
          ...(several ? [port(11, "sid", int64Type, [1])] : [])
        ]),
    port(12, "output", floatType, [1, 1, 1, "N"])
  )
  const entries = {
    model_type: "vits",
    comment: "piper",
    language: "English",
    voice: "en-us",
    has_espeak: "1",
    n_speakers: String(speakers),
    sample_rate: String(rate),
    ...metadata
  }
  return message(
    int(1, 8),
    bytes(2, "tiny-voice"),
    bytes(7, graph),
    bytes(8, message(bytes(1, ""), int(2, 15))),
    onnxMetadataBytes(Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== "")))
  )
}

/** Returns a vocoder whose output is its input. */
export const tinyVocoder = (): Buffer =>
  message(
    int(1, 8),
    bytes(2, "tiny-vocoder"),
    bytes(
      7,
      message(
        node("Identity", "mel", "audio"),
        bytes(2, "tiny"),
        port(11, "mel", floatType, [1, 1, 1, "N"]),
        port(12, "audio", floatType, [1, 1, 1, "N"])
      )
    ),
    bytes(8, message(bytes(1, ""), int(2, 15))),
    onnxMetadataBytes({ model_type: "hifigan" })
  )

/** Metadata of a voice that reads letters, so that it needs no eSpeak NG. */
export const spelling = { comment: "coqui", frontend: "characters", add_blank: "0", use_eos_bos: "0" }

const letters = `_^$ !"#&'(),-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?:;`

/** Symbols of eSpeak NG's phonemes; those of punctuation and blanks come first. */
export const phonemes = `_^$ !'(),-.:;?abcdefhijklmnopqrstuvwxyzæçðøħŋœɐɑɒɔɕɖɗəɚɛɜɟɡɣɤɨɪɫɬɭɯɱɲɳɵɹɻɾʀʁʂʃʈʉʊʋʌʍʎʏʐʑʒʔˈˌːˑˤθβχᵻ`

/** Returns a token table, of letters or of eSpeak NG's phonemes. */
export const tinyTokens = (symbols = letters): string =>
  Array.from(symbols, (symbol, index) => `${symbol} ${index}\n`).join("")

/** Writes a voice that reads letters into a folder. */
export const writeSpellingVoice = (folder: string, voice: TinyVoice = {}): string => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "model.onnx"),
    tinyModel({ ...voice, metadata: { ...spelling, ...voice.metadata } })
  )
  writeFileSync(join(folder, "tokens.txt"), tinyTokens())
  return folder
}

/** Writes a voice that reads phonemes into a folder. */
export const writePhonemeVoice = (folder: string, voice: TinyVoice = {}): string => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "model.onnx"), tinyModel(voice))
  writeFileSync(join(folder, "tokens.txt"), tinyTokens(phonemes))
  return folder
}

/** Writes a voice as Piper publishes it: a model without metadata, and its settings. Returns the model's path. */
export const writePiperVoice = (folder: string, name: string, settings: object = {}): string => {
  mkdirSync(folder, { recursive: true })
  const model = join(folder, `${name}.onnx`)
  const whole = tinyModel()
  const extra = tinyModel({ metadata: Object.fromEntries(metadataKeys.map((key) => [key, ""])) })
  writeFileSync(model, whole.subarray(0, extra.length))
  const phoneme_id_map = Object.fromEntries([
    ["\n", [99]],
    ["ch", [98]],
    ...Array.from(phonemes, (symbol, index) => [symbol, [index]])
  ])
  writeFileSync(
    `${model}.json`,
    JSON.stringify({
      audio: { sample_rate: 22_050 },
      espeak: { voice: "vi" },
      language: { code: "vi_VN" },
      num_speakers: 1,
      phoneme_id_map,
      ...settings
    })
  )
  return model
}

const metadataKeys = ["model_type", "comment", "language", "voice", "has_espeak", "n_speakers", "sample_rate"]
