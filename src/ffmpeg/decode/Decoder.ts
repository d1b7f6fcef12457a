/** Decodes audio files with ffmpeg: one file, a stream of blocks, bytes, or many files per process. */
import { readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Chunk, Effect, Either, Stream } from "effect"
import { joinedInt16 } from "../../audio/formats/Int16.ts"
import { joinedMp3 } from "../../audio/formats/JoinedMp3.ts"
import { type Pcm, toInt16 } from "../../audio/pcm/Pcm.ts"
import { closedWav, plainWav16 } from "../../audio/formats/Wav.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import type { Binary } from "../process/FfmpegBinary.ts"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import {
  cannotRead,
  type DecodeAnswer,
  type DecodeSource,
  decodeArgs,
  decoded,
  filesPerProcess,
  floatsIn,
  decodeRefusal,
  misfit,
  wentWell
} from "./DecodeJob.ts"
import { inputsDescribed } from "../probe/InputDescription.ts"
import { type DiskFull, FfmpegFailed, NotAudio, type Unwritable } from "../process/FfmpegErrors.ts"
import { attempt, temporaryFolder } from "../process/FileFaults.ts"
import { headOf } from "../process/FileHead.ts"
import { commandLine, type ProcessEnd, runProcess, startProcess } from "../process/ChildProcess.ts"

type Blocks = Stream.Stream<Float32Array, FfmpegFailed | NotAudio>

/** Decodes one file. If the first ffmpeg cannot read a file, the spare one tries: it may know the format. */
export const decodeFile = Effect.fn("Decoder.decodeFile")(function* (
  ffmpeg: FfmpegChoice,
  source: DecodeSource,
  rate: SampleRate
) {
  const first = yield* decodeWith(ffmpeg.first, source, rate)
  if (!("unread" in first)) return yield* first
  const spare = yield* ffmpeg.spare
  const second = spare === undefined ? first : yield* decodeWith(spare, source, rate)
  return "unread" in second
    ? yield* Effect.flatMap(refusal(source, first.unread), Effect.fail)
    : yield* second
})

/** Decodes with one binary; `unread` is the result of a process that failed because it cannot read the format. */
const decodeWith = Effect.fnUntraced(function* (binary: Binary, source: DecodeSource, rate: SampleRate) {
  const args = decodeArgs([{ source: absolute(source), target: "pipe:1" }], rate)
  const ended = yield* judged(yield* runProcess(binary.path, args), binary, args, `decode ${source.path}`)
  if (cannotRead(ended)) return { unread: ended }
  if (!wentWell(ended)) return yield* Effect.flatMap(refusal(source, ended), Effect.fail)
  return decoded(source, rate, ended.stdout, inputsDescribed(ended.stderr)[0])
})

/**
 * Decodes a file in blocks, if it is too long to hold in memory. If the file turns out to be damaged or truncated, the
 * stream fails after its last block.
 */
export const decodeBlocks = (ffmpeg: FfmpegChoice, source: DecodeSource, rate: SampleRate): Blocks =>
  blocksOfEither(ffmpeg, source, { rate, channels: 1, asIs: false })

/** Like `decodeBlocks`, at the track's own rate and with its own channels, interleaved. Blocks are whole frames. */
export const decodeChannels = (
  ffmpeg: FfmpegChoice,
  source: DecodeSource,
  rate: SampleRate,
  channels: number
): Blocks => blocksOfEither(ffmpeg, source, { rate, channels, asIs: true })

/** The form of decoded samples. */
interface SampleForm {
  readonly rate: SampleRate
  readonly channels: number
  /** Whether rate and channels are those of the file. */
  readonly asIs: boolean
}

const blocksOfEither = (ffmpeg: FfmpegChoice, source: DecodeSource, form: SampleForm): Blocks =>
  blocksWith(ffmpeg.first, source, form, (refused) =>
    Stream.unwrap(
      Effect.map(ffmpeg.spare, (spare) =>
        spare === undefined ? refused : blocksWith(spare, source, form, () => refused)
      )
    )
  )

/** Decodes with one binary; `otherwise` replaces the failure of a process that cannot read the format. */
const blocksWith = (
  binary: Binary,
  source: DecodeSource,
  { rate, channels, asIs }: SampleForm,
  otherwise: (refused: Blocks) => Blocks
): Blocks => {
  const args = decodeArgs([{ source: absolute(source), target: "pipe:1" }], rate, asIs)
  return Stream.acquireRelease(
    Effect.sync(() => startProcess(binary.path, args)),
    (process) => process.stop
  ).pipe(
    Stream.flatMap((process) => {
      let frames = 0
      const blocks = Stream.fromAsyncIterable<Uint8Array, unknown>(process.stdout, (cause) => cause).pipe(
        Stream.orDie,
        Stream.mapAccum(Buffer.alloc(0), (rest, chunk) => {
          const bytes = Buffer.concat([rest, chunk])
          const whole = bytes.byteLength - (bytes.byteLength % (4 * channels))
          const block = floatsIn(bytes.subarray(0, whole))
          frames += block.length / channels
          return [bytes.subarray(whole), block]
        })
      )
      const verdict = Effect.gen(function* () {
        const ended = yield* judged(yield* process.ended, binary, args, `decode ${source.path}`)
        const refused: Blocks = Stream.unwrap(Effect.map(refusal(source, ended), Stream.fail))
        if (cannotRead(ended)) return otherwise(refused)
        if (!wentWell(ended)) return refused
        const [description] = inputsDescribed(ended.stderr)
        // A film's header states the length of its longest stream, and the sound may be shorter.
        const isFilm = asIs && description?.streams.some((stream) => stream._tag === "VideoStream")
        const fault = misfit(source, frames / rate, isFilm === true ? undefined : description)
        return fault === undefined ? Stream.empty : Stream.fail(fault)
      })
      return Stream.concat(blocks, Stream.unwrap(verdict))
    })
  )
}

/**
 * Decodes received bytes of at most `most` seconds to 16-bit samples; `name` identifies them in errors. A 16-bit mono
 * WAV with the rate needs no ffmpeg. Of other audio, only one block at a time is held as floats, however long it is.
 */
export const decodeBytes = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  bytes: Uint8Array,
  name: string,
  rate: SampleRate,
  most: number
) {
  const plain = plainWav16(bytes, rate)
  if (plain !== undefined && plain.length > 0) return plain
  const path = join(yield* temporaryFolder, "audio")
  // ffmpeg reports the end of a streamed WAV, which has an open size in its header, and joints of an MP3 as damage.
  yield* attempt(path, () => writeFile(path, closedWav(bytes) ?? joinedMp3(bytes) ?? bytes))
  const blocks: Array<Int16Array> = []
  yield* Stream.runForEach(decodeBlocks(ffmpeg, { path, most }, rate), (block) =>
    Effect.sync(() => blocks.push(toInt16(block)))
  ).pipe(Effect.catchTag("NotAudio", ({ reason, found }) => new NotAudio({ source: name, reason, found })))
  return joinedInt16(blocks)
}, Effect.scoped)

/** Decodes many files; results are in the files' order. */
export const decodeFiles = Effect.fnUntraced(function* (
  ffmpeg: FfmpegChoice,
  sources: ReadonlyArray<DecodeSource>,
  rate: SampleRate
) {
  const folder = yield* temporaryFolder
  const batches = yield* Effect.forEach(
    Chunk.chunksOf(Chunk.fromIterable(sources), filesPerProcess),
    (batch, place) => decodeBatch(ffmpeg, Chunk.toReadonlyArray(batch), rate, join(folder, `${place}`)),
    { concurrency: 2 }
  )
  return batches.flat()
}, Effect.scoped)

type Decoded = Either.Either<Pcm, NotAudio>

const decodeBatch = (
  ffmpeg: FfmpegChoice,
  sources: ReadonlyArray<DecodeSource>,
  rate: SampleRate,
  prefix: string
): Effect.Effect<ReadonlyArray<Decoded>, FfmpegFailed | DiskFull | Unwritable> =>
  Effect.gen(function* () {
    const files = sources.map((source, place) => ({
      source: absolute(source),
      target: `${prefix}-${place}.f32`
    }))
    const args = decodeArgs(files, rate)
    const ended = yield* judged(
      yield* runProcess(ffmpeg.first.path, args),
      ffmpeg.first,
      args,
      `decode ${files.length} audio files`
    )
    if (!wentWell(ended))
      return yield* Effect.forEach(sources, (source) => settled(decodeFile(ffmpeg, source, rate)))
    const described = inputsDescribed(ended.stderr)
    return yield* Effect.forEach(files, ({ source, target }, place) =>
      attempt(target, async () => {
        const bytes = await readFile(target)
        await rm(target)
        return decoded(source, rate, bytes, described[place])
      })
    )
  })

/** Returns a file's own fault as a value; other failures remain errors. */
const settled = (decoding: Effect.Effect<Pcm, NotAudio | FfmpegFailed>) =>
  decoding.pipe(
    Effect.map((pcm): Decoded => Either.right(pcm)),
    Effect.catchTag("NotAudio", (fault) => Effect.succeed<Decoded>(Either.left(fault)))
  )

/** Fails if a process never started or was killed; otherwise returns its result. */
const judged = <A extends Omit<ProcessEnd, "stdout">>(
  ended: A,
  binary: Binary,
  args: ReadonlyArray<string>,
  purpose: string
): Effect.Effect<A, FfmpegFailed> =>
  ended.exitCode === undefined
    ? new FfmpegFailed({
        purpose,
        command: commandLine(binary.path, args),
        stderrTail: ended.startFailure?.message ?? ended.stderr
      })
    : Effect.succeed(ended)

const refusal = (source: DecodeSource, ended: DecodeAnswer): Effect.Effect<NotAudio> =>
  Effect.promise(async () => {
    const head = await headOf(source.path)
    return head === undefined
      ? new NotAudio({ source: source.path, reason: "missing", found: "no readable file" })
      : decodeRefusal(source.path, head, ended)
  })

const absolute = (source: DecodeSource): DecodeSource => ({ ...source, path: resolve(source.path) })
