/** ffmpeg as the rest of the program knows it. */
import { resolve } from "node:path"
import { Effect, Stream } from "effect"
import type { SampleRate } from "../domain/time/Units.ts"
import { locateConfigured } from "./process/FfmpegBinary.ts"
import { writeBlocks, type PcmBlocks, streamOf } from "./encode/PcmBlocks.ts"
import type { DecodeSource } from "./decode/DecodeJob.ts"
import { decodeBlocks, decodeBytes, decodeFile, decodeFiles } from "./decode/Decoder.ts"
import { encodeAll, type EncodeRequest, type Maker } from "./encode/Encoder.ts"
import type { MuxRequest } from "./mux/MuxJob.ts"
import { muxFile } from "./mux/Muxer.ts"
import { probeFile } from "./probe/Prober.ts"

/** Decodes, probes, encodes and muxes with the ffmpeg that was located when the service was made. */
export class Ffmpeg extends Effect.Service<Ffmpeg>()("ffmpeg/Ffmpeg", {
  effect: Effect.gen(function* () {
    const binary = yield* locateConfigured
    return {
      /** Which ffmpeg is used. */
      binary,
      /** The length and the streams of a media file. */
      probe: Effect.fn("Ffmpeg.probe")((path: string) => probeFile(binary, resolve(path))),
      /** One file's samples, mono; `track` where it has several. */
      decode: Effect.fn("Ffmpeg.decode")((source: DecodeSource, rate: SampleRate) =>
        decodeFile(binary, source, rate)
      ),
      /** 16-bit samples from bytes; `name` stands for them in errors. */
      decodeBytes: Effect.fn("Ffmpeg.decodeBytes")((bytes: Uint8Array, name: string, rate: SampleRate) =>
        decodeBytes(binary, bytes, name, rate)
      ),
      /** One file's samples in blocks of no fixed size, for files too long to be held whole. */
      decodeBlocks: (source: DecodeSource, rate: SampleRate) => decodeBlocks(binary, source, rate),
      /** Many files in few processes; each result in the files' order, with its own fault where it has one. */
      decodeMany: Effect.fn("Ffmpeg.decodeMany")((sources: ReadonlyArray<DecodeSource>, rate: SampleRate) =>
        decodeFiles(binary, sources, rate)
      ),
      /** Writes all files of a request from blocks as they come, whole or not at all. */
      encode: <E = never, R = never>(request: EncodeRequest, blocks: PcmBlocks<E, R>) =>
        encodeAll(
          binary,
          [request],
          writeBlocks(
            Stream.map(streamOf(blocks), (block) => [block]),
            request.feed.frames,
            request.feed.channels
          )
        ).pipe(Effect.withSpan("Ffmpeg.encode")),
      /** Writes all files of requests that are made together, such as a mix and its stems, whole or not at all. */
      encodeAll: <E, R>(requests: ReadonlyArray<EncodeRequest>, maker: Maker<E, R>) =>
        encodeAll(binary, requests, maker).pipe(Effect.withSpan("Ffmpeg.encodeAll")),
      /** Puts new sound and subtitles into a video whose picture is copied. */
      mux: (request: MuxRequest) => muxFile(binary, request)
    }
  })
}) {}
