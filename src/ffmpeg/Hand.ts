/** Work on a programme's blocks that needs no ffmpeg: WAV files are written, measures are taken; by whatever thread has time. */
import { type Listened, Listener, type Measures } from "../audio/Listener.ts"
import type { WavOrder } from "./Encode.ts"
import { WavWriter } from "./WavWriter.ts"

/** What is to be done, as it is said to a thread. */
export type HandOrder = WavOrder | ({ readonly kind: "listen" } & Listened)

/** Who does it. What the file system refuses is thrown; it is closed in any case. */
export interface Hand {
  /** Takes the next samples, which may change as soon as it has returned. */
  take(block: Float32Array | Int16Array): void
  /** Brings it to its end, and returns what was heard. */
  finish(): Measures | undefined
  close(): void
}

export const handOf = (order: HandOrder): Hand => {
  if (order.kind === "wav") return new WavWriter(order)
  const listener = new Listener(order)
  return {
    take: (block) => {
      if (block instanceof Float32Array) listener.push(block)
    },
    finish: () => listener.measures(),
    close: () => undefined
  }
}

/** The file that an order is about; none where it is only listened. */
export const pathOf = (order: HandOrder): string => (order.kind === "wav" ? order.path : "")

/** For each request what was heard of it, from what each of all orders heard, one request after the other. */
export const byRequest = (
  requests: ReadonlyArray<ReadonlyArray<HandOrder>>,
  heard: ReadonlyArray<Measures | undefined>
): ReadonlyArray<Measures | undefined> => {
  let at = 0
  return requests.map((orders) => heard.slice(at, (at += orders.length)).find((one) => one !== undefined))
}
