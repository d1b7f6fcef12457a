/** Decodes a film's sound for analysis: every moment at its own time, and as much of a damaged file as there is. */
import { Effect, Stream } from "effect"
import type { SampleRate } from "../../domain/time/Units.ts"
import { floatsOf } from "../../audio/pcm/Pcm.ts"
import { commandLine, startProcess } from "../process/ChildProcess.ts"
import type { Binary } from "../process/FfmpegBinary.ts"
import { FfmpegFailed } from "../process/FfmpegErrors.ts"
import type { DecodeSource } from "./DecodeJob.ts"

/**
 * Returns the arguments that decode a film's audio track to mono 16-bit samples. Silence fills gaps, and the time
 * before a track that starts late, so the n-th sample is heard at n / rate. ffmpeg continues after damage. The short
 * resampling filter is enough for band levels, and takes a quarter of the usual time.
 */
export const filmSoundArgs = ({ path, track }: DecodeSource, rate: SampleRate): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  "-vn",
  "-sn",
  "-dn",
  "-i",
  path,
  "-map",
  `0:a:${track ?? 0}`,
  "-ac",
  "1",
  "-ar",
  `${rate}`,
  "-af",
  "aresample=async=1:first_pts=0:filter_size=4",
  "-f",
  "s16le",
  "pipe:1"
]

/**
 * Decodes a film's audio track in blocks of varying size. If ffmpeg exits with an error after it has decoded something,
 * the stream ends there: the caller knows the film's length. Fails if nothing could be decoded.
 */
export const decodeFilmSound = (
  binary: Binary,
  source: DecodeSource,
  rate: SampleRate
): Stream.Stream<Float32Array, FfmpegFailed> => {
  const args = filmSoundArgs(source, rate)
  return Stream.acquireRelease(
    Effect.sync(() => startProcess(binary.path, args)),
    (process) => process.stop
  ).pipe(
    Stream.flatMap((process) => {
      let decoded = false
      const blocks = Stream.fromAsyncIterable<Uint8Array, unknown>(process.stdout, (cause) => cause).pipe(
        Stream.orDie,
        Stream.mapAccum(noBytes, (rest, chunk) => {
          decoded = true
          const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
          const whole = bytes.length & ~1
          return [bytes.subarray(whole), floatsIn16(bytes.subarray(0, whole))] as const
        })
      )
      const verdict = Effect.gen(function* () {
        const { stderr, exitCode, startFailure } = yield* process.ended
        if (exitCode === 0 || (decoded && exitCode !== undefined)) return
        return yield* new FfmpegFailed({
          purpose: `decode the sound of ${source.path}`,
          command: commandLine(binary.path, args),
          ...(exitCode === undefined ? {} : { exitCode }),
          stderrTail: (startFailure?.message ?? stderr).slice(-2_000)
        })
      })
      return Stream.concat(blocks, Stream.execute(verdict))
    })
  )
}

const noBytes: Uint8Array = new Uint8Array(0)

const floatsIn16 = (bytes: Uint8Array): Float32Array => {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  const integers = new Int16Array(aligned.buffer, aligned.byteOffset, aligned.length / 2)
  return floatsOf(integers, 1 / 32_768, new Float32Array(integers.length))
}
