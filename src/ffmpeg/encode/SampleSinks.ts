/** All sinks of one section, for a programme and its stems. Has few imports, as worker threads load it. */
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { type SampleSink, openSink, type SinkRequest } from "./SampleSink.ts"

/** An order, and the index of the request whose samples it processes: the programme or a stem. */
export interface RequestOrder {
  readonly request: number
  readonly order: SinkRequest
}

/** Whether any order feeds ffmpeg. */
export const feeds = (orders: ReadonlyArray<RequestOrder>): boolean =>
  orders.some(({ order }) => order.kind === "feed")

/** An I/O error, and the index of its order. */
export class SinkFault extends Error {
  constructor(
    readonly order: number,
    override readonly cause: unknown
  ) {
    super(String(cause))
  }
}

/** Carries out all orders for one section. The caller must always close it. Throws `SinkFault`. */
export class SampleSinks {
  private readonly sinks: Array<SampleSink> = []

  /**
   * Opens all sinks. `feed` receives bytes for ffmpeg with the order's index; they are valid during the call. `room`
   * provides buffers.
   */
  constructor(
    private readonly orders: ReadonlyArray<RequestOrder>,
    section: Section,
    feed: (order: number, bytes: Uint8Array) => void,
    allocate: Buffer32 = newBuffer
  ) {
    try {
      orders.forEach(({ order }, at) =>
        attempted(at, () => this.sinks.push(openSink(order, section, (bytes) => feed(at, bytes), allocate)))
      )
    } catch (fault) {
      this.close()
      throw fault
    }
  }

  /** Processes the next block of each request. The blocks may be reused after the call. */
  take(blocks: ReadonlyArray<Float32Array>): void {
    this.sinks.forEach((sink, at) => {
      const block = blocks[this.orders[at]?.request ?? -1]
      if (block !== undefined) attempted(at, () => sink.take(block))
    })
  }

  /** Finishes all sinks; returns their measurements by order index. */
  finish(): ReadonlyArray<SectionMeasurement | undefined> {
    return this.sinks.map((sink, at) => attempted(at, () => sink.finish()))
  }

  close(): void {
    for (const sink of this.sinks) sink.close()
  }
}

const attempted = <A>(order: number, step: () => A): A => {
  try {
    return step()
  } catch (cause) {
    throw new SinkFault(order, cause)
  }
}
