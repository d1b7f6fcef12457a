/** All that is done with a section's samples, for a programme and its stems. It loads little: threads do it. */
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { type SampleSink, openSink, type SinkRequest } from "./SampleSink.ts"

/** An order, and which of the requests' samples it is about: the programme's or a stem's. */
export interface RequestOrder {
  readonly request: number
  readonly order: SinkRequest
}

/** Whether an ffmpeg is given anything of what is ordered. */
export const feeds = (orders: ReadonlyArray<RequestOrder>): boolean =>
  orders.some(({ order }) => order.kind === "feed")

/** What the file system refused, and for which of the orders. */
export class SinkFault extends Error {
  constructor(
    readonly order: number,
    override readonly cause: unknown
  ) {
    super(String(cause))
  }
}

/** Follows all orders for one section; who makes it closes it in any case. Throws HandFaults. */
export class SampleSinks {
  private readonly hands: Array<SampleSink> = []

  /**
   * `feed` is given the bytes for ffmpeg, by the order's number; they are valid until it has returned. Samples are kept
   * in `room`.
   */
  constructor(
    private readonly orders: ReadonlyArray<RequestOrder>,
    section: Section,
    feed: (order: number, bytes: Uint8Array) => void,
    room: Buffer32 = newBuffer
  ) {
    try {
      orders.forEach(({ order }, at) =>
        attempted(at, () => this.hands.push(openSink(order, section, (bytes) => feed(at, bytes), room)))
      )
    } catch (fault) {
      this.close()
      throw fault
    }
  }

  /** Takes the next samples of each request, which may change as soon as it has returned. */
  take(blocks: ReadonlyArray<Float32Array>): void {
    this.hands.forEach((hand, at) => {
      const block = blocks[this.orders[at]?.request ?? -1]
      if (block !== undefined) attempted(at, () => hand.take(block))
    })
  }

  /** Brings everything to its end; what was heard, by the orders' numbers. */
  finish(): ReadonlyArray<SectionMeasurement | undefined> {
    return this.hands.map((hand, at) => attempted(at, () => hand.finish()))
  }

  close(): void {
    for (const hand of this.hands) hand.close()
  }
}

const attempted = <A>(order: number, step: () => A): A => {
  try {
    return step()
  } catch (cause) {
    throw new SinkFault(order, cause)
  }
}
