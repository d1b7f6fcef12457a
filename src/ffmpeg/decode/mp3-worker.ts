/** The thread that decodes plain MP3 files, one after the other. */
import { parentPort } from "node:worker_threads"
import { mp3Decoder } from "./Mp3Samples.ts"
import type { Mp3Answer, Mp3Order } from "./Mp3WorkerClient.ts"

const port = parentPort
if (port === null) throw new Error("this file is a thread that decodes: it is started by the command")

const decode = mp3Decoder()
let turn = Promise.resolve()

port.on("message", ({ id, bytes, rate }: Mp3Order) => {
  // A decoder's state is one file's: the next begins when it is done with.
  turn = turn.then(async () => {
    const samples = await decode(bytes, rate)
    port.postMessage({ id, samples } satisfies Mp3Answer, samples === undefined ? [] : [samples.buffer])
  })
})
