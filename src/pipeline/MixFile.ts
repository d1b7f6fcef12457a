/** A mix kept on disk as it is before levelling, so that clips are read and sped up once, however often it is measured. */
import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Effect, Stream } from "effect"
import { ResultUnwritable, wordsOf } from "./ResultFolder.ts"

/** A mix on disk: 32-bit floats, channels interleaved. */
export interface MixFile {
  /** The samples, block by block, as often as they are asked for. */
  readonly blocks: Stream.Stream<Float32Array, ResultUnwritable>
}

/** Bytes read at once; a whole number of samples. */
const chunkSize = 256 * 1024

/** Writes a mix beside the results, `path`, while handing each block to `heard`; the file goes with the scope. */
export const keepMix = Effect.fn("MixFile.keep")(function* <E, R>(
  path: string,
  mix: Stream.Stream<Float32Array, E, R>,
  heard: (block: Float32Array) => void
) {
  const fs = yield* FileSystem.FileSystem
  const unwritable = (error: PlatformError) => new ResultUnwritable({ path, detail: wordsOf(error) })
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(path, { force: true })))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* Effect.mapError(fs.open(path, { flag: "w" }), unwritable)
      yield* Stream.runForEach(mix, (block) => {
        heard(block)
        return Effect.mapError(
          file.writeAll(new Uint8Array(block.buffer, block.byteOffset, block.byteLength)),
          unwritable
        )
      })
    })
  )
  const mixFile: MixFile = {
    blocks: fs.stream(path, { chunkSize }).pipe(
      Stream.mapError(unwritable),
      Stream.map((bytes) => floatsOf(bytes))
    )
  }
  return mixFile
})

/** A chunk is a whole number of samples, since the file and `chunkSize` are; only its place in memory may be odd. */
const floatsOf = (bytes: Uint8Array): Float32Array =>
  bytes.byteOffset % 4 === 0
    ? new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    : new Float32Array(bytes.slice().buffer)
