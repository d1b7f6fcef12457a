/**
 * A fake service that returns the same audio for every task, after a fixed latency.
 *
 *     node latencyService.mjs MILLISECONDS [AUDIO_FILE]
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { babble } from "../test/hostile/Babble.ts"

const latency = Number(process.argv[2] ?? 0)
const file = process.argv[3]
const audio = file === undefined ? babble("yes") : readFileSync(file)
const tasks = new Map<string, number>()
let made = 0
let looks = 0
let most = 0
let underWay = 0

const server = createServer((request, response) => {
  const url = request.url ?? "/"
  const send = (body: object) => {
    const text = JSON.stringify(body)
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    response.end(text)
  }
  if (request.method === "POST") {
    request.resume().once("end", () => {
      const id = `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`
      tasks.set(id, performance.now() + latency)
      if (latency > 0) {
        most = Math.max(most, ++underWay)
        setTimeout(() => underWay--, latency)
      }
      send({ task_id: id, status: "queued", characters: 10, credits: 10 })
    })
  } else if (url.startsWith("/v1/task/")) {
    looks++
    const id = url.slice("/v1/task/".length)
    const done = performance.now() >= (tasks.get(id) ?? Infinity)
    send({
      task_id: id,
      status: done ? "done" : "processing",
      ...(done ? { audio_url: `/audio/${id}` } : {})
    })
  } else if (url.startsWith("/audio/")) {
    response.writeHead(200, {
      "content-type": file === undefined ? "audio/wav" : "audio/mpeg",
      "content-length": audio.length
    })
    response.end(audio)
  } else if (url === "/figures") {
    send({ made, looks, most })
  } else send({})
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null)
    process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
