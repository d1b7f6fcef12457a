/** Types of the parts of sherpa-onnx-node and sherpa-onnx (WebAssembly) in use; the packages have no types. */
declare module "sherpa-onnx-node" {
  /** Settings of one sentence. `silenceScale` 1 keeps pauses; by default they are cut to a fifth. */
  export interface GenerationSettings {
    readonly sid: number
    readonly speed: number
    readonly silenceScale: 1
    readonly extra?: Readonly<Record<string, string | number>>
  }

  export interface GeneratedAudio {
    readonly samples: Float32Array
    readonly sampleRate: number
  }

  export interface NativeTts {
    readonly sampleRate: number
    readonly numSpeakers: number
    readonly generateAsync: (request: {
      readonly text: string
      readonly generationConfig: GenerationSettings
    }) => Promise<GeneratedAudio>
  }

  export interface NativePackage {
    readonly OfflineTts: {
      readonly createAsync: (config: {
        readonly model: Readonly<Record<string, unknown>>
        readonly maxNumSentences: number
      }) => Promise<NativeTts>
    }
  }

  const sherpa: NativePackage
  export default sherpa
}

declare module "sherpa-onnx" {
  import type { GeneratedAudio, GenerationSettings } from "sherpa-onnx-node"

  export interface WasmTts {
    readonly sampleRate: number
    readonly numSpeakers: number
    readonly generateWithConfig: (text: string, config: GenerationSettings) => GeneratedAudio
  }

  export interface WasmPackage {
    readonly createOfflineTts: (config: {
      readonly offlineTtsModelConfig: Readonly<Record<string, unknown>>
      readonly maxNumSentences: number
    }) => WasmTts
  }

  const sherpa: WasmPackage
  export default sherpa
}
