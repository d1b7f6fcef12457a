/** What takes a programme's blocks on their way into files: it has copied a block when `send` has ended. */
import { Effect, type Scope } from "effect"
import { Finisher } from "../audio/Finish.ts"
import type { Finished, Unfinished } from "../audio/Finish.ts"
import type { BlockFeed } from "./BlockFeed.ts"
import type { WavOrder } from "./Encode.ts"
import type { DiskFull, Unwritable } from "./Failures.ts"
import { attempted } from "./PartFile.ts"
import { WavWriter } from "./WavWriter.ts"

/** Interleaved samples as their feed announces them. */
export type PcmBlock = Float32Array | Int16Array

export interface Taker {
  readonly send: (block: PcmBlock) => Effect.Effect<void, DiskFull | Unwritable>
  /** Nothing more comes. */
  readonly finish: Effect.Effect<void, DiskFull | Unwritable>
}

/** An ffmpeg that is given the blocks as they come. */
export const feeding = (feed: BlockFeed): Taker => ({
  send: (block) => feed.send(block),
  finish: feed.finish
})

/** An ffmpeg that is given integers of 16 bit at the rate and of the length that its file has. */
export const feedingFinished = (feed: BlockFeed, from: Unfinished, to: Finished): Taker => {
  const finisher = new Finisher(from, to)
  const integers = (bytes: Uint8Array) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  return {
    send: (block) => feed.send(integers(finisher.push(block))),
    finish: Effect.suspend(() =>
      Effect.forEach(finisher.rest(), (bytes) => feed.send(integers(bytes)), { discard: true })
    ).pipe(Effect.zipRight(feed.finish))
  }
}

/** A WAV file, written in this thread; `path` is where it will stand. */
export const writingWav = (
  order: WavOrder,
  path: string
): Effect.Effect<Taker, DiskFull | Unwritable, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      attempted(path, () => new WavWriter(order)),
      (writer) => Effect.sync(() => writer.close())
    ),
    (writer) => ({
      send: (block) => attempted(path, () => writer.take(block)),
      finish: attempted(path, () => writer.finish())
    })
  )
