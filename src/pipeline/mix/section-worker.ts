/** Worker thread that renders sections one after the other. Has few imports, so that it starts quickly. */
import { setFlagsFromString } from "node:v8"
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import type { OrderBytes } from "../../ffmpeg/encode/SampleSinks.ts"
import { SectionRenderer, renderSection, type MixLine } from "./SectionRenderer.ts"
import {
  failureOf,
  type SectionResponse,
  type SectionRequest,
  slotBytes,
  type SomeLines,
  type ThreadStart
} from "./SectionWorkerProtocol.ts"

// The code around the kernels takes some hundredths of a second per film. V8's optimizing compiler would spend ten
// times that on it, on cores that the kernels need. So it is delayed until a function has run through a million bytes
// of bytecode, 15 times the default. The setting applies to all threads of the process from now on. Later versions of
// Node do not have it.
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000")

const port = parentPort
if (port === null) throw new Error("this file is a worker thread that renders sections; a delivery starts it")

const { mastering, orders, clips, lines, buffer, slots }: ThreadStart = workerData
const renderer = new SectionRenderer(clips)

const say = (answer: SectionResponse): void => port.postMessage(answer)

/** Collects bytes in shared slots and sends each slot when it is full. A slot belongs to one order. */
class Slots {
  private readonly taken = new Int32Array(slots)
  private readonly bytes = new Uint8Array(buffer)
  private next = 0
  /** Slots being filled, by order. */
  private readonly open = new Map<number, { readonly slot: number; length: number }>()

  put({ bytes, order }: OrderBytes): void {
    for (let at = 0; at < bytes.length;) {
      const current = this.open.get(order) ?? this.opened(order)
      const some = bytes.subarray(at, at + slotBytes - current.length)
      this.bytes.set(some, current.slot * slotBytes + current.length)
      current.length += some.length
      at += some.length
      if (current.length === slotBytes) this.send(order)
    }
  }

  /** Sends slots that are not full. */
  sendAll(): void {
    for (const order of this.open.keys()) this.send(order)
  }

  /** Opens a slot for an order, waiting until one is free. */
  private opened(order: number) {
    const opened = { slot: this.next, length: 0 }
    this.next = (this.next + 1) % this.taken.length
    // If the slot is still being filled for another order, sends it early instead of waiting.
    for (const [other, { slot }] of this.open) if (slot === opened.slot) this.send(other)
    Atomics.wait(this.taken, opened.slot, 1)
    Atomics.store(this.taken, opened.slot, 1)
    this.open.set(order, opened)
    return opened
  }

  private send(order: number): void {
    const filled = this.open.get(order)
    this.open.delete(order)
    if (filled !== undefined) say({ kind: "fed", order, ...filled })
  }
}

/** The section's lines, as they were sent. */
function* linesSent(): Generator<MixLine> {
  for (let sent = receiveMessageOnPort(lines); sent !== undefined; sent = receiveMessageOnPort(lines)) {
    const some: SomeLines = sent.message
    yield* some
  }
}

const fed = new Slots()

port.on("message", (section: SectionRequest) => {
  try {
    const steps = renderSection(mastering, section, linesSent(), orders, renderer)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) for (const made of step.value) fed.put(made)
    fed.sendAll()
    say({ kind: "made", outcomes: step.value })
  } catch (cause) {
    say({ kind: "failed", failure: failureOf(cause) })
  }
})
