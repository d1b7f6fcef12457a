/** Decodes the audio in a provider's response: base64, hexadecimal digits, raw samples. */
import { Effect, Either, Encoding } from "effect"
import { int16At } from "../../../audio/formats/Int16.ts"
import { decodeWav } from "../../../audio/formats/Wav.ts"
import { toInt16 } from "../../../audio/pcm/Pcm.ts"
import { SampleRate } from "../../../domain/time/Units.ts"
import { type PcmSpeech, SpeechFailed } from "../../Engine.ts"
import { type TimedPart, timingOf } from "./CloudTiming.ts"

/** Requested sample rate: that of most tasks, so that nothing is resampled. */
export const cloudRate = SampleRate.make(24_000)

const unusable = (engine: string, what: string) =>
  new SpeechFailed({
    engine,
    reason: "bad-output",
    detail: `the provider responded without usable audio: ${what}`
  })

/** Decodes base64 or hexadecimal digits. */
export const decodedAudio = (
  engine: string,
  encoding: "base64" | "hex",
  text: unknown
): Effect.Effect<Uint8Array, SpeechFailed> => {
  if (typeof text !== "string" || text === "") return unusable(engine, "the field for it is missing or empty")
  return Either.match(encoding === "hex" ? Encoding.decodeHex(text) : Encoding.decodeBase64(text), {
    onLeft: () => unusable(engine, `it is not ${encoding}`),
    onRight: (bytes) => Effect.succeed(bytes)
  })
}

/** Reads 16-bit little-endian mono samples. */
export const pcmSpeech = (
  engine: string,
  bytes: Uint8Array,
  rate: SampleRate
): Effect.Effect<PcmSpeech, SpeechFailed> => {
  if (bytes.length === 0) return unusable(engine, "it is empty")
  if (bytes.length % 2 === 1) return unusable(engine, `${bytes.length} bytes are not whole 16-bit samples`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = int16At(view, 0, bytes.length / 2)
  return Effect.succeed({ _tag: "Pcm", rate, samples, words: [], sentences: [] })
}

/** Reads a WAV file; fails if it is truncated. */
export const wavSpeech = (engine: string, bytes: Uint8Array): Effect.Effect<PcmSpeech, SpeechFailed> =>
  Either.match(decodeWav(bytes), {
    onLeft: ({ detail }) => unusable(engine, detail),
    onRight: ({ rate, samples }) =>
      samples.length === 0
        ? unusable(engine, "it is empty")
        : Effect.succeed({ _tag: "Pcm", rate, samples: toInt16(samples), words: [], sentences: [] })
  })

/** Milliseconds of speech. */
export const speechLength = ({ samples, rate }: PcmSpeech): number => (samples.length * 1000) / rate

/** Fails if the audio, `length` ms long, ends over a quarter of a second before the time that the provider states. */
export const checkComplete = (
  engine: string,
  length: number,
  stated: number | undefined
): Effect.Effect<void, SpeechFailed> =>
  stated === undefined || stated <= length + 250
    ? Effect.void
    : unusable(engine, `it is cut off after ${Math.round(length)} of ${Math.round(stated)} ms`)

/** Returns the speech with the times of its words and sentences. Fails if it ends before `stated` ms. */
export const timedSpeech = (
  engine: string,
  speech: PcmSpeech,
  { text, language }: { readonly text: string; readonly language: string },
  parts: ReadonlyArray<TimedPart>,
  stated: number | undefined
): Effect.Effect<PcmSpeech, SpeechFailed> => {
  const length = speechLength(speech)
  return Effect.as(checkComplete(engine, length, stated), {
    ...speech,
    ...timingOf(text, language, parts, length)
  })
}
