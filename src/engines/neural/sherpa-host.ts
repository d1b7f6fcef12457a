/**
 * The program of a process that holds one neural voice. A damaged model or a wrong setting ends the whole process,
 * whichever call is used, so models are never loaded in the main process. Synchronous calls of the native build abort
 * the process on errors, so it uses asynchronous calls, which reject.
 */
import { pathToFileURL } from "node:url"
import type { GenerationSettings, NativePackage } from "sherpa-onnx-node"
import type { WasmPackage } from "sherpa-onnx"
import type {
  HostAnswer,
  HostRequest,
  HostResponse,
  ModelConfig,
  OpenRequest,
  SpeakRequest
} from "./SherpaProtocol.ts"
import { preparedSamples } from "./SpokenSamples.ts"

/** A loaded model. */
interface Voice {
  readonly rate: number
  readonly speakers: number
  readonly generate: (
    text: string,
    settings: GenerationSettings
  ) => Promise<{ readonly samples: Float32Array; readonly sampleRate: number }>
}

let voice: Voice | undefined

const load = async (file: string): Promise<unknown> => {
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(file).href)
  return loaded.default
}

const isNative = (found: unknown): found is NativePackage =>
  typeof found === "object" && found !== null && "OfflineTts" in found
const isWasm = (found: unknown): found is WasmPackage =>
  typeof found === "object" && found !== null && "createOfflineTts" in found

/** Returns a family's key in the settings of the WebAssembly build. */
const wasmFamily = (family: string): string =>
  `offlineTts${family.slice(0, 1).toUpperCase()}${family.slice(1)}ModelConfig`

const openNative = async (sherpa: NativePackage, config: ModelConfig, threads: number): Promise<Voice> => {
  const tts = await sherpa.OfflineTts.createAsync({
    model: { ...config, numThreads: threads, provider: "cpu", debug: false },
    maxNumSentences: 1
  })
  return {
    rate: tts.sampleRate,
    speakers: tts.numSpeakers,
    generate: (text, generationConfig) => tts.generateAsync({ text, generationConfig })
  }
}

const openWasm = (sherpa: WasmPackage, config: ModelConfig): Voice => {
  const tts = sherpa.createOfflineTts({
    offlineTtsModelConfig: {
      ...Object.fromEntries(Object.entries(config).map(([family, own]) => [wasmFamily(family), own])),
      numThreads: 1,
      provider: "cpu",
      debug: 0
    },
    maxNumSentences: 1
  })
  return {
    rate: tts.sampleRate,
    speakers: tts.numSpeakers,
    generate: async (text, settings) => tts.generateWithConfig(text, settings)
  }
}

const open = async ({ packages, config, threads }: OpenRequest): Promise<HostAnswer> => {
  const faults: Array<string> = []
  for (const { kind, file } of packages) {
    let found: unknown
    try {
      found = await load(file)
    } catch {
      // Drop the package's own message: it recommends LD_LIBRARY_PATH whatever the cause.
      faults.push(`${kind === "native" ? "sherpa-onnx-node" : "sherpa-onnx"} has no build for this system`)
      continue
    }
    if (kind === "native" && isNative(found)) voice = await openNative(found, config, threads)
    else if (kind === "wasm" && isWasm(found)) voice = openWasm(found, config)
    else {
      faults.push(
        `${kind === "native" ? "sherpa-onnx-node" : "sherpa-onnx"} has another interface than expected; install the version that \`dubwright help neural\` names`
      )
      continue
    }
    return { _tag: "Opened", rate: voice.rate, speakers: voice.speakers }
  }
  return { _tag: "Declined", detail: faults.join("; ") }
}

const speak = async ({ text, sid, speed, language }: SpeakRequest): Promise<HostAnswer> => {
  if (voice === undefined) return { _tag: "Declined", detail: "no model is loaded" }
  const { samples, sampleRate } = await voice.generate(text, {
    sid,
    speed,
    silenceScale: 1,
    // The seed makes Supertonic deterministic; other models ignore it.
    extra: { seed: 1, ...(language === undefined ? {} : { lang: language }) }
  })
  return {
    _tag: "Said",
    rate: sampleRate,
    samples: preparedSamples(samples, sampleRate),
    memory: process.memoryUsage.rss()
  }
}

const answer = async ({ id, request }: HostRequest): Promise<void> => {
  let response: HostAnswer
  try {
    response = request._tag === "Open" ? await open(request) : await speak(request)
  } catch (cause) {
    // The error's message may contain the text, so only its kind is reported.
    const kind = cause instanceof Error ? cause.name : "error"
    const detail =
      request._tag === "Open"
        ? `sherpa-onnx rejected the model's files (${kind}); install the voice again`
        : `sherpa-onnx returned no audio for a sentence (${kind})`
    response = { _tag: "Declined", detail }
  }
  process.send?.({ id, response } satisfies HostResponse)
}

process.on("message", (message: HostRequest) => void answer(message))
// The main process has ended, perhaps without a chance to end this one.
process.on("disconnect", () => process.exit(0))
