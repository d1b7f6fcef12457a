/** Converts a task's audio to one of OpenAI's formats, as a stream. */
import { open } from "node:fs/promises"
import { NodeStream } from "@effect/platform-node"
import { Data, Effect, Stream } from "effect"
import type { Binary } from "../../ffmpeg/process/FfmpegBinary.ts"
import { startProcess } from "../../ffmpeg/process/ChildProcess.ts"
import type { SpeechFormat } from "./OpenAiSpeech.ts"

/** The audio could not be converted. */
class ConversionFailed extends Data.TaggedError("ConversionFailed")<{ readonly detail: string }> {}

/** Media types as OpenAI sends them. */
export const mediaTypeOf: Readonly<Record<SpeechFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm"
}

/** Encoder options. PCM is 24 kHz, 16-bit, mono, little-endian, without a header. */
const encoders: Readonly<Record<SpeechFormat, ReadonlyArray<string>>> = {
  mp3: ["-c:a", "libmp3lame", "-b:a", "96k", "-f", "mp3"],
  opus: ["-c:a", "libopus", "-b:a", "48k", "-f", "ogg"],
  aac: ["-c:a", "aac", "-b:a", "96k", "-f", "adts"],
  flac: ["-c:a", "flac", "-f", "flac"],
  wav: ["-c:a", "pcm_s16le", "-f", "wav"],
  pcm: ["-c:a", "pcm_s16le", "-ar", "24000", "-f", "s16le"]
}

/** Builds ffmpeg's tempo filters; each takes 0.5 to 2. */
const tempo = (speed: number): ReadonlyArray<string> =>
  speed === 1
    ? []
    : [
        "-filter:a",
        speed < 0.5 || speed > 2 ? `atempo=${Math.sqrt(speed)},atempo=${Math.sqrt(speed)}` : `atempo=${speed}`
      ]

/** The file to convert, and the result. */
export interface Conversion {
  readonly path: string
  /** The file's own format. */
  readonly from: string
  readonly to: SpeechFormat
  /** Factor on the tempo, 0.25 to 4. */
  readonly speed: number
}

/** Streams the file in the wanted format. A file that has it already is not converted. */
export const convertSpeech = (
  ffmpeg: Binary,
  { path, from, to, speed }: Conversion
): Stream.Stream<Uint8Array, ConversionFailed> =>
  from === to && speed === 1
    ? Stream.unwrapScoped(
        Effect.map(
          Effect.acquireRelease(
            Effect.tryPromise({
              try: () => open(path, "r"),
              catch: () => new ConversionFailed({ detail: "the audio is no longer there" })
            }),
            (file) => Effect.promise(() => file.close())
          ),
          (file) => readOf(() => file.createReadStream({ autoClose: false }))
        )
      )
    : Stream.unwrapScoped(
        Effect.gen(function* () {
          const args = ["-v", "error", "-nostdin", "-i", path, "-map_metadata", "-1", "-fflags", "+bitexact"]
          const running = yield* Effect.acquireRelease(
            Effect.sync(() =>
              startProcess(ffmpeg.path, [...args, ...tempo(speed), "-ac", "1", ...encoders[to], "pipe:1"])
            ),
            ({ stop }) => stop
          )
          const checked = Effect.flatMap(running.ended, ({ exitCode, stderr }) =>
            exitCode === 0 ? Effect.void : new ConversionFailed({ detail: stderr.trim().slice(0, 300) })
          )
          return Stream.concat(
            readOf(() => running.stdout),
            Stream.drain(Stream.fromEffect(checked))
          )
        })
      )

const readOf = (source: () => NodeJS.ReadableStream): Stream.Stream<Uint8Array, ConversionFailed> =>
  NodeStream.fromReadable<ConversionFailed, Uint8Array>(
    source,
    (cause) => new ConversionFailed({ detail: String(cause) })
  )
