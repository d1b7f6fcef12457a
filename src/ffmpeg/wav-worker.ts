/** The thread that writes WAV files while another mixes. It loads little, so that it is there at once. */
import { parentPort, workerData } from "node:worker_threads"
import type { FromThread, ToThread, WavOrders } from "./WavThread.ts"
import { WavWriter } from "./WavWriter.ts"

const port = parentPort
if (port === null) throw new Error("this file is a writer's thread: it is started by the command")

const orders: WavOrders = workerData
const writers: Array<WavWriter> = []

/** Does something for one file after the other, and says which of them it failed for. */
const forEach = (from: number, to: number, step: (file: number) => void): boolean => {
  for (let file = from; file < to; file++) {
    try {
      step(file)
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      say({ kind: "failed", file, code: String(code), words: String(cause) })
      return false
    }
  }
  return true
}

const say = (message: FromThread, transfer: Array<ArrayBuffer> = []): void =>
  port.postMessage(message, transfer)

port.on("message", (message: ToThread) => {
  if (message.kind === "finish") {
    if (forEach(0, writers.length, (file) => writers[file]?.finish())) say({ kind: "finished" })
    return
  }
  const { room, length, first, count } = message
  const block = message.integers ? new Int16Array(room, 0, length) : new Float32Array(room, 0, length)
  if (forEach(first, first + count, (file) => writers[file]?.take(block)))
    say({ kind: "taken", room }, [room])
})

forEach(0, orders.length, (file) => {
  const order = orders[file]
  if (order !== undefined) writers.push(new WavWriter(order))
})
