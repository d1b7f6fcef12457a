/** The ffmpeg service: probing, decoding, encoding and muxing. */
import { resolve } from "node:path"
import { Effect, Layer, Stream } from "effect"
import type { SampleRate } from "../domain/time/Units.ts"
import { locateConfigured } from "./process/FfmpegBinary.ts"
import { chooseFrom, type FfmpegChoice, only } from "./process/FfmpegChoice.ts"
import type { PcmBlocks } from "./encode/PcmBlocks.ts"
import type { DecodeSource } from "./decode/DecodeJob.ts"
import type { EncodeRequest } from "./encode/Encoder.ts"
import type { MuxRequest } from "./mux/MuxRequest.ts"

// Each part is loaded when it is first used: most commands use none or one.
const decoder = Effect.promise(() => import("./decode/Decoder.ts"))
const soundDecoder = Effect.promise(() => import("./decode/FilmSoundJob.ts"))
const encoder = Effect.promise(() => import("./encode/Encoder.ts"))
const blockWriter = Effect.promise(() => import("./encode/PcmBlocks.ts"))
const muxer = Effect.promise(() => import("./mux/Muxer.ts"))
const trackReader = Effect.promise(() => import("./decode/SubtitleTracks.ts"))
const prober = Effect.promise(() => import("./probe/Prober.ts"))

/** The calls to these binaries. */
const callsTo = (ffmpeg: FfmpegChoice) => ({
  /** The located binary. */
  binary: ffmpeg.first,
  /** Reads the length and the streams of a media file. */
  probe: Effect.fn("Ffmpeg.probe")((path: string) =>
    Effect.flatMap(prober, ({ probeFile }) => probeFile(ffmpeg, resolve(path)))
  ),
  /** Copies the text tracks of a film into files in a folder. */
  extractTracks: Effect.fn("Ffmpeg.extractTracks")((path: string, folder: string) =>
    Effect.flatMap(trackReader, (part) => part.extractTracks(ffmpeg.first, resolve(path), resolve(folder)))
  ),
  /** Decodes one file to mono samples; `track` selects one of several audio tracks. */
  decode: Effect.fn("Ffmpeg.decode")((source: DecodeSource, rate: SampleRate) =>
    Effect.flatMap(decoder, ({ decodeFile }) => decodeFile(ffmpeg, source, rate))
  ),
  /** Decodes at most `most` seconds of received bytes to mono 16-bit samples; `name` identifies them in errors. */
  decodeBytes: Effect.fn("Ffmpeg.decodeBytes")(
    (bytes: Uint8Array, name: string, rate: SampleRate, most: number) =>
      Effect.flatMap(decoder, (part) => part.decodeBytes(ffmpeg, bytes, name, rate, most))
  ),
  /** Decodes one file to mono blocks of varying size, for files too long to hold in memory. */
  decodeBlocks: (source: DecodeSource, rate: SampleRate) =>
    Stream.unwrap(Effect.map(decoder, (part) => part.decodeBlocks(ffmpeg, source, rate))),
  /** Decodes a track to blocks with its own rate and channels, which `probe` returned. */
  decodeChannels: (source: DecodeSource, rate: SampleRate, channels: number) =>
    Stream.unwrap(Effect.map(decoder, (part) => part.decodeChannels(ffmpeg, source, rate, channels))),
  /**
   * Decodes a film's sound to mono blocks, up to its end; gaps become silence. Use a block at once: the next one
   * overwrites it.
   */
  decodeSound: (source: DecodeSource, rate: SampleRate) =>
    Stream.unwrap(
      Effect.map(soundDecoder, ({ decodeFilmSound }) =>
        decodeFilmSound(ffmpeg.first, { ...source, path: resolve(source.path) }, rate)
      )
    ),
  /** Decodes many files in few processes. Results are in the files' order; each is samples or that file's error. */
  decodeMany: Effect.fn("Ffmpeg.decodeMany")((sources: ReadonlyArray<DecodeSource>, rate: SampleRate) =>
    Effect.flatMap(decoder, ({ decodeFiles }) => decodeFiles(ffmpeg, sources, rate))
  ),
  /** Encodes blocks into all files of a request. Either all files are put in place or none. */
  encode: Effect.fn("Ffmpeg.encode")(function* <E = never, R = never>(
    request: EncodeRequest,
    blocks: PcmBlocks<E, R>
  ) {
    const { streamOf, writeBlocks } = yield* blockWriter
    const { orders, write } = yield* (yield* encoder).openFiles(ffmpeg, [request])
    return yield* write(
      writeBlocks(
        Stream.map(streamOf(blocks), (block) => [block]),
        orders,
        request.feed
      )
    )
  }, Effect.scoped),
  /** Opens the files of requests that belong together, such as a mix and its stems: all of them appear or none. */
  openFiles: (requests: ReadonlyArray<EncodeRequest>) =>
    Effect.flatMap(encoder, (part) => part.openFiles(ffmpeg, requests)),
  /** Encodes a WAV file with the samples of a request's feed into other files. Either all are put in place or none. */
  encodeFile: (wav: string, request: EncodeRequest) =>
    Effect.flatMap(encoder, (part) => part.encodeFile(ffmpeg, wav, request)),
  /** Muxes new sound and subtitles into a video; the picture is copied. */
  mux: (request: MuxRequest) => Effect.flatMap(muxer, ({ muxFile }) => muxFile(ffmpeg, request))
})

/**
 * Probes, decodes, encodes and muxes. The ffmpeg binary is located when the layer is built. If it lacks something that
 * a job needs, the ffmpeg from an npm package runs the job.
 */
export class Ffmpeg extends Effect.Service<Ffmpeg>()("ffmpeg/Ffmpeg", {
  effect: Effect.map(Effect.flatMap(locateConfigured, chooseFrom), callsTo)
}) {
  /** The `ffmpeg` on PATH, without a search or a test run. Use it for work that is known to need none. */
  static readonly untried = Layer.sync(Ffmpeg, () =>
    Ffmpeg.make(callsTo(only({ path: "ffmpeg", source: "PATH", version: "unknown" })))
  )
}
