/** Worker thread that decodes plain MP3 files, one at a time. */
import { serveRequests } from "../../system/ThreadServer.ts"
import { mp3Decoder } from "./Mp3Samples.ts"
import type { Mp3Request, Mp3Response } from "./Mp3WorkerClient.ts"

const decode = mp3Decoder()
let turn: Promise<unknown> = Promise.resolve()

serveRequests<Mp3Request, Mp3Response>(
  ({ bytes, rate, most }) => {
    // A decoder holds the state of one file, so files are decoded one after another.
    const decoded = turn.then(() => decode(bytes, rate, most))
    turn = decoded
    return decoded
  },
  (samples) => (samples === undefined ? [] : [samples.buffer])
)
