/**
 * The thread's side: makes one section after the other as it is asked to. It loads little, so that it is there at once.
 */
import { setFlagsFromString } from "node:v8"
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import { SectionRenderer, renderSection, type MixLine } from "./SectionRenderer.ts"
import {
  failureOf,
  type SectionResponse,
  type SectionRequest,
  slotBytes,
  type SomeLines,
  type ThreadStart
} from "./SectionWorkerProtocol.ts"

// What runs here around the kernels takes some hundredths of a second for a film. V8's compiler would spend ten times
// that on making it faster, on the cores that the kernels need: it is to wait until a function has run through a
// million bytes of bytecode, 15 times as many as usual, here and, since there is one such number for all threads, in
// the whole process from now on. Later versions of Node have no such number.
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000")

const port = parentPort
if (port === null) throw new Error("this file is a thread that makes sections: it is started by a delivery")

const { mastering, orders, clips, lines, room, slots }: ThreadStart = workerData
const desk = new SectionRenderer(clips)

const say = (answer: SectionResponse): void => port.postMessage(answer)

/** Where bytes for ffmpeg are left, slot after slot as they fill, each for one order. */
class Slots {
  private readonly taken = new Int32Array(slots)
  private readonly bytes = new Uint8Array(room)
  private next = 0
  /** The slots that are being filled, by the order's number. */
  private readonly open = new Map<number, { readonly slot: number; length: number }>()

  put(order: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const current = this.open.get(order) ?? this.opened(order)
      const some = bytes.subarray(at, at + slotBytes - current.length)
      this.bytes.set(some, current.slot * slotBytes + current.length)
      current.length += some.length
      at += some.length
      if (current.length === slotBytes) this.send(order)
    }
  }

  /** Sends what has not filled its slot. */
  sendAll(): void {
    for (const order of this.open.keys()) this.send(order)
  }

  /** A slot for an order, as soon as one is free. */
  private opened(order: number): { readonly slot: number; length: number } {
    const opened = { slot: this.next, length: 0 }
    this.next = (this.next + 1) % this.taken.length
    // One that is still being filled, for an order that has little to say, is not waited for.
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

/** The section's lines as they were sent. */
function* linesSent(): Generator<MixLine> {
  for (let sent = receiveMessageOnPort(lines); sent !== undefined; sent = receiveMessageOnPort(lines)) {
    const some: SomeLines = sent.message
    yield* some
  }
}

const fed = new Slots()

port.on("message", (section: SectionRequest) => {
  try {
    const steps = renderSection(mastering, section, linesSent(), orders, desk, (order, bytes) =>
      fed.put(order, bytes)
    )
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    fed.sendAll()
    say({ kind: "made", heard: step.value })
  } catch (cause) {
    say({ kind: "failed", failure: failureOf(cause) })
  }
})
