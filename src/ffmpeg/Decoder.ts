/** Decoding as it is run: many files a process, each file's fault its own. */
import { open, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Chunk, Effect, Either } from "effect"
import type { Pcm } from "../audio/Pcm.ts"
import type { SampleRate } from "../domain/Units.ts"
import type { Binary } from "./Binary.ts"
import { type DecodeSource, decodeArgs, decoded, filesPerProcess, refusalOf, wentWell } from "./Decode.ts"
import { inputsDescribed } from "./Description.ts"
import { type DiskFull, FfmpegFailed, NotAudio, type Unwritable } from "./Failures.ts"
import { attempt, inTemporaryFolder } from "./PartFile.ts"
import { commandLine, type Ended, runProcess } from "./Process.ts"

/** Decodes one file. */
export const decodeFile = Effect.fn("Decoder.decodeFile")(function* (
  binary: Binary,
  source: DecodeSource,
  rate: SampleRate
) {
  const args = decodeArgs([{ source: absolute(source), target: "pipe:1" }], rate)
  const ended = yield* run(binary, args, `decode ${source.path}`)
  if (!wentWell(ended)) return yield* Effect.flatMap(refusal(source, ended), Effect.fail)
  return yield* decoded(source.path, rate, ended.stdout, inputsDescribed(ended.stderr)[0])
})

/** Decodes bytes, which `name` stands for in errors. */
export const decodeBytes = (binary: Binary, bytes: Uint8Array, name: string, rate: SampleRate) =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "audio")
    return attempt(path, () => writeFile(path, bytes)).pipe(
      Effect.zipRight(decodeFile(binary, { path }, rate)),
      Effect.catchTag("NotAudio", ({ reason, found }) => new NotAudio({ source: name, reason, found }))
    )
  })

/** Decodes many files; the result's order is the files'. */
export const decodeFiles = (binary: Binary, sources: ReadonlyArray<DecodeSource>, rate: SampleRate) =>
  inTemporaryFolder((folder) =>
    Effect.forEach(
      Chunk.chunksOf(Chunk.fromIterable(sources), filesPerProcess),
      (batch, place) => decodeBatch(binary, Chunk.toReadonlyArray(batch), rate, join(folder, `${place}`)),
      { concurrency: 2 }
    ).pipe(Effect.map((batches) => batches.flat()))
  )

type Decoded = Either.Either<Pcm, NotAudio>

const decodeBatch = (
  binary: Binary,
  sources: ReadonlyArray<DecodeSource>,
  rate: SampleRate,
  prefix: string
): Effect.Effect<ReadonlyArray<Decoded>, FfmpegFailed | DiskFull | Unwritable> =>
  Effect.gen(function* () {
    const files = sources.map((source, place) => ({
      source: absolute(source),
      target: `${prefix}-${place}.f32`
    }))
    const ended = yield* run(binary, decodeArgs(files, rate), `decode ${files.length} audio files`)
    if (!wentWell(ended)) {
      return yield* Effect.forEach(sources, (source) => settled(decodeFile(binary, source, rate)))
    }
    const described = inputsDescribed(ended.stderr)
    return yield* Effect.forEach(files, ({ source, target }, place) =>
      attempt(target, async () => {
        const bytes = await readFile(target)
        await rm(target)
        return decoded(source.path, rate, bytes, described[place])
      })
    )
  })

/** A file's own fault as a value; what is not its fault stays an error. */
const settled = (
  decoding: Effect.Effect<Pcm, NotAudio | FfmpegFailed>
): Effect.Effect<Decoded, FfmpegFailed> =>
  decoding.pipe(
    Effect.map((pcm): Decoded => Either.right(pcm)),
    Effect.catchTag("NotAudio", (fault) => Effect.succeed<Decoded>(Either.left(fault)))
  )

/** Runs ffmpeg; only where it gave no verdict, being unstartable or killed, does this fail. */
const run = (
  binary: Binary,
  args: ReadonlyArray<string>,
  purpose: string
): Effect.Effect<Ended, FfmpegFailed> =>
  runProcess(binary.path, args).pipe(
    Effect.filterOrFail(
      (ended) => ended.exitCode !== undefined,
      ({ startFailure, stderr }) =>
        new FfmpegFailed({
          purpose,
          command: commandLine(binary.path, args),
          stderrTail: startFailure?.message ?? stderr
        })
    )
  )

const refusal = (source: DecodeSource, ended: Ended): Effect.Effect<NotAudio> =>
  Effect.promise(async () => {
    const head = await headOf(source.path)
    return head === undefined
      ? new NotAudio({ source: source.path, reason: "missing", found: "no file that can be read" })
      : refusalOf(source.path, head, ended)
  })

const headOf = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(512) })
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

const absolute = (source: DecodeSource): DecodeSource => ({ ...source, path: resolve(source.path) })
