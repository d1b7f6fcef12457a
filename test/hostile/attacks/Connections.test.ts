/** Attacks on connections: requests sent far ahead, and connections that are held open. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { maxPipelined } from "../../../src/service/http/HttpServer.ts"
import { send } from "../../service/raw.ts"
import { type Started, startService } from "../../service/start.ts"

const connections = 6
let service: Started
beforeAll(async () => {
  service = await startService({ limits: { connections } })
})
afterAll(() => service.stop())

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nxi-api-key: ${service.key}\r\n\r\n`

const opened = async (): Promise<Socket> => {
  const { hostname, port } = new URL(service.address)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

/** Sends requests at once, and returns the first lines of at most `count` responses, or of those before the end. */
const answersTo = async (requests: string, count: number): Promise<ReadonlyArray<string>> => {
  const socket = await opened()
  let received = ""
  const lines = (): ReadonlyArray<string> => received.match(/HTTP\/1\.1 \d+ [^\r]*/gu) ?? []
  const all = new Promise<void>((resolve) => {
    socket.on("data", (piece: Buffer) => {
      received += piece.toString("latin1")
      if (lines().length >= count) resolve()
    })
    socket.on("close", () => resolve())
  })
  socket.write(requests)
  await all
  socket.destroy()
  return lines()
}

test("requests that a client sends ahead are answered in their order", async () => {
  const paths = Array.from({ length: maxPipelined }, (_, at) => (at % 2 === 0 ? "/v1/credits" : "/none"))
  expect(await answersTo(paths.map(get).join(""), paths.length)).toEqual(
    paths.map((path) => (path === "/none" ? "HTTP/1.1 404 Not Found" : "HTTP/1.1 200 OK"))
  )
})

test("a connection with too many requests ahead is closed, with no work done for them", async () => {
  const answers = await answersTo(get("/v1/voices?limit=100").repeat(2_000), 2_000)
  expect(answers.length).toBeLessThanOrEqual(1)
  expect((await send(service.address, [get("/v1/credits")]))?.status).toBe(200)
})

test("an invalid request among those ahead never ends another one's response", async () => {
  const answers = await answersTo(`${get("/v1/voices?limit=100")}${get("/v1/credits")}hello\r\n\r\n`, 3)
  expect(answers.filter((line) => line !== "HTTP/1.1 200 OK")).toEqual([])
})

test("the connection that has waited longest for a request gives way to a new one", async () => {
  const held = await Promise.all(Array.from({ length: connections }, opened))
  const [first, slow] = held
  if (first === undefined || slow === undefined) throw new Error("no connections")
  slow.write("GET /v1/credits HTTP/1.1\r\n")
  const closed = once(first, "close")
  expect(await answersTo(get("/v1/credits"), 1)).toEqual(["HTTP/1.1 200 OK"])
  await closed
  slow.write(`host: localhost\r\nxi-api-key: ${service.key}\r\n\r\n`)
  expect(String((await once(slow, "data"))[0])).toMatch(/^HTTP\/1\.1 200 OK/u)
  for (const socket of held) socket.destroy()
})

test("2,000 idle connections and 2,000 that are kept alive leave others answered", async () => {
  const crowded = await startService()
  const { hostname, port } = new URL(crowded.address)
  const sockets: Array<Socket> = []
  const add = async (request: string): Promise<string> => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.push(socket)
    socket.on("error", () => undefined)
    await once(socket, "connect")
    if (request === "") return ""
    socket.write(request)
    return String(await Promise.race([once(socket, "data"), once(socket, "close")]))
  }
  const head = "GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n"
  await Promise.all(Array.from({ length: 4_000 }, (_, at) => add(at % 2 === 0 ? "" : head)))
  // So many are open by default. Each further one closes an idle one.
  for (let one = 0; one < 20; one++) expect(await add(head)).toMatch(/^HTTP\/1\.1 404 /u)
  for (const socket of sockets) socket.destroy()
  await crowded.stop()
})
