/** The ffmpeg service: probing, decoding, encoding and muxing. */
import { resolve } from "node:path"
import { Effect, Stream } from "effect"
import type { SampleRate } from "../domain/time/Units.ts"
import { locateConfigured } from "./process/FfmpegBinary.ts"
import { chooseFrom } from "./process/FfmpegChoice.ts"
import { writeBlocks, type PcmBlocks, streamOf } from "./encode/PcmBlocks.ts"
import type { DecodeSource } from "./decode/DecodeJob.ts"
import { decodeBlocks, decodeBytes, decodeFile, decodeFiles } from "./decode/Decoder.ts"
import { type EncodeRequest, openFiles } from "./encode/Encoder.ts"
import type { MuxRequest } from "./mux/MuxJob.ts"
import { muxFile } from "./mux/Muxer.ts"
import { probeFile } from "./probe/Prober.ts"

/**
 * Probes, decodes, encodes and muxes. The ffmpeg binary is located when the layer is built; a job that needs something
 * which that build lacks is run by the one from an npm package.
 */
export class Ffmpeg extends Effect.Service<Ffmpeg>()("ffmpeg/Ffmpeg", {
  effect: Effect.gen(function* () {
    const ffmpeg = yield* chooseFrom(yield* locateConfigured)
    return {
      /** The located binary. */
      binary: ffmpeg.first,
      /** Reads the length and the streams of a media file. */
      probe: Effect.fn("Ffmpeg.probe")((path: string) => probeFile(ffmpeg, resolve(path))),
      /** Decodes one file to mono samples; `track` selects one of several audio tracks. */
      decode: Effect.fn("Ffmpeg.decode")((source: DecodeSource, rate: SampleRate) =>
        decodeFile(ffmpeg, source, rate)
      ),
      /** Decodes bytes to mono 16-bit samples; `name` identifies them in errors. */
      decodeBytes: Effect.fn("Ffmpeg.decodeBytes")((bytes: Uint8Array, name: string, rate: SampleRate) =>
        decodeBytes(ffmpeg, bytes, name, rate)
      ),
      /** Decodes one file to mono blocks of varying size, for files too long to hold in memory. */
      decodeBlocks: (source: DecodeSource, rate: SampleRate) => decodeBlocks(ffmpeg, source, rate),
      /** Decodes many files in few processes. Results are in the files' order; each is samples or that file's error. */
      decodeMany: Effect.fn("Ffmpeg.decodeMany")((sources: ReadonlyArray<DecodeSource>, rate: SampleRate) =>
        decodeFiles(ffmpeg, sources, rate)
      ),
      /** Encodes blocks into all files of a request. Either all files are put in place or none. */
      encode: <E = never, R = never>(request: EncodeRequest, blocks: PcmBlocks<E, R>) =>
        Effect.flatMap(openFiles(ffmpeg, [request]), ({ orders, sink }) =>
          Stream.run(
            writeBlocks(
              Stream.map(streamOf(blocks), (block) => [block]),
              orders,
              request.feed
            ),
            sink
          )
        ).pipe(Effect.scoped, Effect.withSpan("Ffmpeg.encode")),
      /** Opens the files of requests that belong together, such as a mix and its stems: all of them appear or none. */
      openFiles: (requests: ReadonlyArray<EncodeRequest>) => openFiles(ffmpeg, requests),
      /** Muxes new sound and subtitles into a video; the picture is copied. */
      mux: (request: MuxRequest) => muxFile(ffmpeg, request)
    }
  })
}) {}
