/** The thread that writes WAV files and takes measures while another mixes. It loads little, so that it is there at once. */
import { parentPort, workerData } from "node:worker_threads"
import { type Hand, handOf } from "./Hand.ts"
import type { FromThread, HandOrders, ToThread } from "./HandThread.ts"

const port = parentPort
if (port === null) throw new Error("this file is a delivery's thread: it is started by the command")

const orders: HandOrders = workerData
const hands: Array<Hand> = []

/** Does something for one order after the other, and says which of them it failed for. */
const forEach = (from: number, to: number, step: (order: number) => void): boolean => {
  for (let order = from; order < to; order++) {
    try {
      step(order)
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined
      say({ kind: "failed", order, code: String(code), words: String(cause) })
      return false
    }
  }
  return true
}

const say = (message: FromThread, transfer: Array<ArrayBuffer> = []): void =>
  port.postMessage(message, transfer)

port.on("message", (message: ToThread) => {
  if (message.kind === "finish") {
    const heard = hands.map((): ReturnType<Hand["finish"]> => undefined)
    if (forEach(0, hands.length, (order) => (heard[order] = hands[order]?.finish())))
      say({ kind: "finished", heard })
    return
  }
  const { room, length, first, count } = message
  const block = message.integers ? new Int16Array(room, 0, length) : new Float32Array(room, 0, length)
  if (forEach(first, first + count, (order) => hands[order]?.take(block)))
    say({ kind: "taken", room }, [room])
})

forEach(0, orders.length, (at) => {
  const order = orders[at]
  if (order !== undefined) hands.push(handOf(order))
})
