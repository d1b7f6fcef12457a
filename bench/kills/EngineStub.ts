/**
 * An engine behind the service: a server with OpenAI's `/audio/speech` that takes a fixed time for each text, and
 * speaks a fixed number of texts at once. The others wait. This is the only limit of the benchmark's speed.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { babble } from "../../test/hostile/Babble.ts"

export class EngineStub {
  /** Texts spoken to the end, with how often. */
  readonly spoken = new Map<string, number>()
  /** Milliseconds spent on texts whose client vanished. */
  wasted = 0
  /** Milliseconds spent speaking, over all texts. */
  busy = 0

  private constructor(
    readonly baseUrl: string,
    readonly stop: () => void
  ) {}

  /** Starts it with `atOnce` texts spoken at once, `latency` milliseconds each. */
  static async start(latency: number, atOnce: number): Promise<EngineStub> {
    const waiting: Array<() => void> = []
    let running = 0
    const next = () => {
      if (running >= atOnce) return
      const begin = waiting.shift()
      if (begin === undefined) return
      running++
      begin()
    }
    const server = createServer((request, response) => {
      if (request.method !== "POST") return void response.writeHead(404).end()
      const pieces: Array<Buffer> = []
      request.on("data", (piece) => pieces.push(piece))
      request.once("end", () => {
        const text = String(Object(JSON.parse(String(Buffer.concat(pieces)))).input)
        const begin = () => {
          const began = performance.now()
          const done = (isSpoken: boolean) => {
            clearTimeout(timer)
            response.removeAllListeners("close")
            stub.busy += performance.now() - began
            running--
            next()
            if (!isSpoken) return void (stub.wasted += performance.now() - began)
            stub.spoken.set(text, (stub.spoken.get(text) ?? 0) + 1)
            response.writeHead(200, { "content-type": "audio/wav" }).end(babble(text))
          }
          const timer = setTimeout(done, latency, true)
          response.removeAllListeners("close").once("close", () => done(false))
        }
        response.once("close", () => {
          const at = waiting.indexOf(begin)
          if (at >= 0) waiting.splice(at, 1)
        })
        waiting.push(begin)
        next()
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const stub = new EngineStub(`http://127.0.0.1:${port}/v1`, () => {
      server.closeAllConnections()
      server.close()
    })
    return stub
  }
}
