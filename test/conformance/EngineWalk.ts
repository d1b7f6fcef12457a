/** Checks one engine of a service's settings, point by point: `npm run conformance -- --engine NAME`. */
import { Effect, Either, Layer } from "effect"
import type { Engine, EngineVoice, Speech, SpeechRequest } from "../../src/engines/Engine.ts"
import { EngineSet } from "../../src/service/catalogue/EngineSet.ts"
import { defaultProviders } from "../../src/service/config/DefaultProviders.ts"
import type { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import { ServiceOptions } from "../../src/service/config/ServiceOptions.ts"
import type { Finding } from "./Walk.ts"

/** The engine to check, and how. */
export interface EngineWalkOptions {
  /** An engine under `engines` in the settings, or a built-in one. */
  readonly engine: string
  readonly config: ServiceConfig
  /** The voice to speak with; default: the first. */
  readonly voice: string | undefined
  /** The text to speak; default: one in the voice's language. */
  readonly text: string | undefined
  /** Whether to speak, which costs what the provider charges for the text. */
  readonly speaks: boolean
}

const texts: Readonly<Record<string, string>> = {
  vi: "Xin chào! Đây là một câu thử giọng đọc.",
  en: "Hello there! This is a short test of a voice."
}

/** Checks the engine. Reports each finding at once; `say` gets the price of the check. */
export const walkEngine = (
  options: EngineWalkOptions,
  tell: (finding: Finding) => void,
  say: (line: string) => void
): Promise<ReadonlyArray<Finding>> => {
  const disabled = Object.fromEntries(Object.keys(defaultProviders).map((id) => [id, { enabled: false }]))
  const config: ServiceConfig = {
    ...options.config,
    providers: { ...disabled, walk: { engine: options.engine } }
  }
  return EngineSet.pipe(
    Effect.flatMap((engines) => {
      const engine = engines.get(options.engine)
      return engine === undefined ? Effect.succeed([]) : examined(engine, options, tell, say)
    }),
    Effect.provide(
      Layer.provide(
        EngineSet.layer,
        Layer.succeed(ServiceOptions, { host: "127.0.0.1", port: 0, config, candid: true })
      )
    ),
    Effect.runPromise
  )
}

const examined = Effect.fnUntraced(function* (
  engine: Engine,
  options: EngineWalkOptions,
  tell: (finding: Finding) => void,
  say: (line: string) => void
) {
  const findings: Array<Finding> = []
  const found = (point: string, verdict: Finding["verdict"], detail = "") => {
    const finding = { point, verdict, detail }
    findings.push(finding)
    tell(finding)
  }
  const voices = yield* Effect.either(engine.voices)
  if (Either.isLeft(voices)) {
    found("it lists its voices", "broken", voices.left.message)
    return findings
  }
  const languages = new Set(
    voices.right.flatMap((voice) => voice.languages.map((tag) => tag.replace(/-.*$/u, "")))
  )
  found("it lists its voices", "holds", `${voices.right.length} voices, ${languages.size} languages`)
  const voice = voices.right.find(({ id }) => options.voice === undefined || id === options.voice)
  if (voice === undefined) {
    found("the voice exists", "broken", `no voice ${options.voice ?? ""}`)
    return findings
  }
  const text = options.text ?? texts[(voice.languages[0] ?? "en").replace(/-.*$/u, "")] ?? texts["en"] ?? ""
  const request: SpeechRequest = { voice: voice.id, text, rate: 1, volume: 1, pitch: 0 }

  yield* refused("it refuses an unknown voice", "unknown-voice", { ...request, voice: "no-such-voice" })
  const most = engine.defaults?.maxCharacters
  if (most === undefined) found("it refuses a text that is too long", "skipped", "it states no limit")
  // Three times the safe number of characters exceed the limit in any unit.
  else
    yield* refused("it refuses a text that is too long", "too-long", {
      ...request,
      text: "word ".repeat(most)
    })

  if (!options.speaks) {
    found("it speaks", "skipped", "--read-only")
    return findings
  }
  say(
    `speaking ${Array.from(text).length} characters with ${voice.name} (${voice.id}), which the provider charges`
  )
  const spoken = yield* Effect.either(engine.speak(request))
  if (Either.isLeft(spoken)) found("it speaks", "broken", spoken.left.message)
  else yield* Effect.sync(() => heard(spoken.right, voice, text, found))
  return findings

  function refused(point: string, reason: string, wrong: SpeechRequest) {
    return Effect.map(Effect.either(engine.speak(wrong)), (ended) => {
      const failure = Either.isLeft(ended) ? ended.left : undefined
      const kind = failure?._tag === "SpeechFailed" ? failure.reason : (failure?._tag ?? "speech")
      found(
        point,
        kind === reason ? "holds" : "broken",
        kind === reason ? "" : `found ${kind}; expected ${reason}`
      )
    })
  }
})

type Found = (point: string, verdict: Finding["verdict"], detail?: string) => void

/** Checks the audio and its times. */
const heard = (speech: Speech, { name }: EngineVoice, text: string, found: Found): void => {
  if (speech._tag === "Pcm") {
    const seconds = speech.samples.length / speech.rate
    const peak = speech.samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    const detail = `${seconds.toFixed(2)} s of PCM at ${speech.rate} Hz, peak ${(20 * Math.log10(peak / 32_768)).toFixed(1)} dB`
    found(`${name} speaks`, peak > 300 && seconds > 0.3 && seconds < text.length ? "holds" : "broken", detail)
  } else {
    const kind = formatOf(speech.bytes)
    found(
      `${name} speaks`,
      kind === undefined ? "broken" : "holds",
      `${speech.bytes.length} bytes of ${kind ?? "unknown audio"}`
    )
  }
  const words = text.split(/\s+/u)
  if (speech.words.length === 0) return found("it gives the times of words", "skipped", "it gives none")
  const inOrder = speech.words.every(({ start, end }, index) => {
    const before = speech.words[index - 1]
    return end >= start && (before === undefined || start >= before.end)
  })
  const detail = `${speech.words.length} of ${words.length} words, until ${speech.words.at(-1)?.end ?? 0} ms`
  found(
    "it gives the times of words",
    inOrder && speech.words.length === words.length ? "holds" : "broken",
    detail
  )
}

/** Returns the format whose first bytes the audio has. */
const formatOf = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 4)).toString("latin1")
  if (start === "RIFF") return "WAV"
  if (start === "OggS") return "Ogg"
  if (start === "fLaC") return "FLAC"
  return start.startsWith("ID3") || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)
    ? "MP3"
    : undefined
}
