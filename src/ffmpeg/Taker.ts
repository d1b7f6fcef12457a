/** What takes a programme's blocks on their way into files: it has copied a block when `send` has ended. */
import { Effect, type Scope } from "effect"
import { Finisher } from "../audio/Finish.ts"
import type { Finished, Unfinished } from "../audio/Finish.ts"
import type { Measures } from "../audio/Listener.ts"
import type { BlockFeed } from "./BlockFeed.ts"
import type { DiskFull, Unwritable } from "./Failures.ts"
import { byRequest, type HandOrder, handOf, pathOf } from "./Hand.ts"
import { attempted } from "./PartFile.ts"

/** Interleaved samples as their feed announces them. */
export type PcmBlock = Float32Array | Int16Array

export interface Taker {
  readonly send: (block: PcmBlock) => Effect.Effect<void, DiskFull | Unwritable>
  /** Nothing more comes. */
  readonly finish: Effect.Effect<void>
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

/** Work on the blocks of several requests that needs no ffmpeg. */
export interface Hands {
  /** For each request, as a taker has it. */
  readonly send: ReadonlyArray<Taker["send"]>
  /** Nothing more comes, to any of them. Returns what was heard of each, where it was listened to. */
  readonly finish: Effect.Effect<ReadonlyArray<Measures | undefined>, DiskFull | Unwritable>
}

/** The same done in this thread. */
export const handsHere = (
  requests: ReadonlyArray<ReadonlyArray<HandOrder>>
): Effect.Effect<Hands, DiskFull | Unwritable, Scope.Scope> =>
  Effect.map(
    Effect.forEach(requests, (orders) =>
      Effect.forEach(orders, (order) =>
        Effect.acquireRelease(
          attempted(pathOf(order), () => ({ path: pathOf(order), hand: handOf(order) })),
          ({ hand }) => Effect.sync(() => hand.close())
        )
      )
    ),
    (all) => ({
      send: all.map(
        (hands) => (block) =>
          Effect.forEach(hands, ({ path, hand }) => attempted(path, () => hand.take(block)), {
            discard: true
          })
      ),
      finish: Effect.map(
        Effect.forEach(all.flat(), ({ path, hand }) => attempted(path, () => hand.finish())),
        (heard) => byRequest(requests, heard)
      )
    })
  )
