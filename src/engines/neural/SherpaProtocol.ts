/** Messages between the main process and the processes that hold a neural voice: plain data. */
import { Schema } from "effect"
import { SampleRate } from "../../domain/time/Units.ts"

/** The part of sherpa-onnx's settings that names a model's files: one family with its settings. */
export type ModelConfig = Readonly<Record<string, Readonly<Record<string, string | number>>>>

/** Loads a model. `packages` are the entry files of the builds of sherpa-onnx to try, in order. */
export interface OpenRequest {
  readonly _tag: "Open"
  readonly packages: ReadonlyArray<{ readonly kind: "native" | "wasm"; readonly file: string }>
  readonly config: ModelConfig
  readonly threads: number
}

/** Speaks one sentence, or a part of a long one. */
export interface SpeakRequest {
  readonly _tag: "Speak"
  readonly text: string
  /** The speaker's number. For an invalid number, the model uses the first speaker, so validate it before sending. */
  readonly sid: number
  /** 1 is the voice's default. */
  readonly speed: number
  /** For models that speak several languages. */
  readonly language?: string | undefined
}

/** A request; its response repeats the id. */
export interface HostRequest {
  readonly id: number
  readonly request: OpenRequest | SpeakRequest
}

const Samples = Schema.declare((value): value is Int16Array => value instanceof Int16Array)

/** The model is loaded. */
const Opened = Schema.TaggedStruct("Opened", { rate: SampleRate, speakers: Schema.Int })
/** Speech, trimmed; empty if the model gave only silence. */
const Said = Schema.TaggedStruct("Said", {
  rate: SampleRate,
  samples: Samples,
  /** Resident memory of the process, in bytes. */
  memory: Schema.Number
})
/** The request failed, but the process still works. The detail never contains the text. */
const Declined = Schema.TaggedStruct("Declined", { detail: Schema.String })

/** A response of the process, validated on arrival. */
export const HostResponse = Schema.Struct({ id: Schema.Int, response: Schema.Union(Opened, Said, Declined) })
/** As sent; the receiver checks the sample rate. */
export type HostResponse = typeof HostResponse.Encoded
export type HostAnswer = HostResponse["response"]
