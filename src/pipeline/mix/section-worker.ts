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

/** Bytes of one kind for one order. */
type Stream = Omit<OrderBytes, "bytes">

/** Collects bytes in shared slots and sends each slot when it is full. A slot belongs to one stream of bytes. */
class Slots {
  private readonly taken = new Int32Array(slots)
  private readonly bytes = new Uint8Array(buffer)
  private next = 0
  /** Slots being filled. */
  private readonly open = new Map<string, { readonly slot: number; length: number; readonly of: Stream }>()

  put({ bytes, ...of }: OrderBytes): void {
    const stream = `${of.order} ${of.isChecked}`
    for (let at = 0; at < bytes.length;) {
      const current = this.open.get(stream) ?? this.opened(stream, of)
      const some = bytes.subarray(at, at + slotBytes - current.length)
      this.bytes.set(some, current.slot * slotBytes + current.length)
      current.length += some.length
      at += some.length
      if (current.length === slotBytes) this.send(stream)
    }
  }

  /** Sends slots that are not full. */
  sendAll(): void {
    for (const stream of this.open.keys()) this.send(stream)
  }

  /** Opens a slot for a stream, waiting until one is free. */
  private opened(stream: string, of: Stream) {
    const opened = { slot: this.next, length: 0, of }
    this.next = (this.next + 1) % this.taken.length
    // If the slot is still being filled for another stream, sends it early instead of waiting.
    for (const [other, { slot }] of this.open) if (slot === opened.slot) this.send(other)
    Atomics.wait(this.taken, opened.slot, 1)
    Atomics.store(this.taken, opened.slot, 1)
    this.open.set(stream, opened)
    return opened
  }

  private send(stream: string): void {
    const filled = this.open.get(stream)
    this.open.delete(stream)
    if (filled !== undefined) say({ kind: "fed", ...filled.of, slot: filled.slot, length: filled.length })
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
