/** Decodes a film's sound for analysis: every sample at its own time, and as much of a damaged file as possible. */
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
 * resampling filter is enough for band levels, and takes a tenth of the usual time.
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
  // ffmpeg spends as much time on a frame as on its samples. Frames of 8,192 samples save a tenth of the whole time.
  "asetnsamples=n=8192:p=0,aresample=async=1:first_pts=0:filter_size=2",
  // Otherwise ffmpeg writes every packet by itself: 200,000 writes and reads for a film of two hours.
  "-flush_packets",
  "0",
  "-f",
  "s16le",
  "pipe:1"
]

/**
 * Decodes a film's audio track in blocks of varying size; each block overwrites the previous one. If ffmpeg exits with
 * an error after it has decoded something, the stream ends there: the caller knows the film's length. Fails if nothing
 * could be decoded.
 */
export const decodeFilmSound = (binary: Binary, source: DecodeSource, rate: SampleRate) => {
  const args = filmSoundArgs(source, rate)
  return Stream.acquireRelease(
    Effect.sync(() => startProcess(binary.path, args)),
    (process) => process.stop
  ).pipe(
    Stream.flatMap((process) => {
      let decoded = false
      const blockOf = reader()
      const blocks = Stream.fromAsyncIterable<Uint8Array, unknown>(process.stdout, (cause) => cause).pipe(
        Stream.orDie,
        Stream.map((chunk) => {
          decoded = true
          return blockOf(chunk)
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

/**
 * Returns a function that converts bytes to blocks. All blocks share the same memory: if each block of a film had its
 * own, garbage collection would take as long as the analysis.
 */
const reader = () => {
  let bytes = new Uint8Array(0)
  let floats = new Float32Array(0)
  /** Number of bytes of an incomplete sample, which are kept at the beginning of `bytes`. */
  let rest = 0
  return (chunk: Uint8Array): Float32Array => {
    const length = rest + chunk.length
    if (length > bytes.length) {
      const larger = new Uint8Array(length + 65_536)
      larger.set(bytes.subarray(0, rest))
      bytes = larger
      floats = new Float32Array(larger.length >> 1)
    }
    bytes.set(chunk, rest)
    const count = length >> 1
    const block = floatsOf(new Int16Array(bytes.buffer, 0, count), 1 / 32_768, floats.subarray(0, count))
    rest = length & 1
    bytes[0] = bytes[length - 1] ?? 0
    return block
  }
}
