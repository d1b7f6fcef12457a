/** All sinks of one section, for a programme and its stems. Has few imports, as worker threads load it. */
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import { type SampleSink, openSink, type SinkOrder } from "./SampleSink.ts"

/** An order, and the index of the request whose samples it processes: the programme or a stem. */
export interface RequestOrder {
  readonly request: number
  readonly order: SinkOrder
}

/** Whether any order feeds ffmpeg. */
export const feeds = (orders: ReadonlyArray<RequestOrder>): boolean =>
  orders.some(({ order }) => order.kind === "feed" || order.kind === "converted")

/** An I/O error, and the index of its order. */
export class SinkFault extends Error {
  constructor(
    readonly order: number,
    override readonly cause: unknown
  ) {
    super(String(cause))
  }
}

/** Bytes for the ffmpeg process of an order. */
export interface OrderBytes {
  /** The order's index. */
  readonly order: number
  readonly bytes: Uint8Array
}

/** One result for a section or part of one. Bytes arrive chronologically. */
export type OrderResult =
  | (OrderBytes & {
      readonly kind: "fed"
      /** If the bytes are in shared memory: the flag to set to 0, and to notify, when they may be overwritten. */
      readonly taken?: Int32Array
    })
  | { readonly kind: "heard"; readonly order: number; readonly heard: SectionMeasurement }

/** Carries out all orders for one section. The caller must always close it. Throws `SinkFault`. */
export class SampleSinks {
  private readonly sinks: Array<SampleSink> = []

  /** Opens all sinks. `allocate` provides buffers. */
  constructor(
    private readonly orders: ReadonlyArray<RequestOrder>,
    section: Section,
    allocate: Buffer32 = newBuffer
  ) {
    try {
      orders.forEach(({ order }, at) =>
        attempted(at, () => this.sinks.push(openSink(order, section, allocate)))
      )
    } catch (fault) {
      this.close()
      throw fault
    }
  }

  /** Processes the next block of each request. Returns the bytes that it makes, valid until the next call. */
  take(blocks: ReadonlyArray<Float32Array>): ReadonlyArray<OrderBytes> {
    return this.sinks.flatMap((sink, order) => {
      const block = blocks[this.orders[order]?.request ?? -1]
      const bytes = block === undefined ? undefined : attempted(order, () => sink.take(block))
      return bytes === undefined || bytes.length === 0 ? [] : [{ order, bytes }]
    })
  }

  /** Finishes all sinks. Yields the bytes that are still missing, valid until the next. */
  *rest(): Generator<ReadonlyArray<OrderBytes>> {
    for (const [order, sink] of this.sinks.entries())
      for (const bytes of attempted(order, () => sink.rest?.() ?? []))
        if (bytes.length > 0) yield [{ order, bytes }]
  }

  /** Returns the measurements of finished sinks by order index. */
  outcomes(): ReadonlyArray<SectionMeasurement | undefined> {
    return this.sinks.map((sink, order) => attempted(order, () => sink.outcome?.()))
  }

  close(): void {
    for (const sink of this.sinks) sink.close?.()
  }
}

const attempted = <A>(order: number, step: () => A): A => {
  try {
    return step()
  } catch (cause) {
    throw new SinkFault(order, cause)
  }
}
