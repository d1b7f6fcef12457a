/** Worker thread that decodes plain MP3 files, one at a time. */
import { parentPort } from "node:worker_threads"
import { mp3Decoder } from "./Mp3Samples.ts"
import type { Mp3Answer, Mp3Order } from "./Mp3WorkerClient.ts"

const port = parentPort
if (port === null) throw new Error("this file is a worker thread that decodes MP3; a run starts it")

const decode = mp3Decoder()
let turn = Promise.resolve()

port.on("message", ({ id, bytes, rate }: Mp3Order) => {
  // A decoder holds the state of one file, so files are decoded one after another.
  turn = turn.then(async () => {
    const samples = await decode(bytes, rate)
    port.postMessage({ id, samples } satisfies Mp3Answer, samples === undefined ? [] : [samples.buffer])
  })
})
