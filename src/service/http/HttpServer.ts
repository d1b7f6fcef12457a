/** The HTTP server, with limits on connections and time. Unreadable requests get a documented error response, too. */
import { createServer, STATUS_CODES, ServerResponse, type IncomingMessage, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, Schema, type Scope } from "effect"
import type { ErrorResponse } from "./ErrorResponse.ts"

/** The server cannot listen on the address. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return `cannot listen on ${this.host}:${this.port}: ${this.detail}`
  }
}

/** Maximum bytes of a request's head: its first line and its headers. */
export const maxHead = 16_384

/** Where and how to listen. */
export interface ListenOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Maximum open connections. A further one closes the one that has waited longest for a request. */
  readonly connections: number
  /** Maximum seconds to receive a request. */
  readonly requestSeconds: number
}

/**
 * Listens until the scope closes. Then it accepts no more connections, closes idle ones at once and the others after
 * 1 s.
 */
export const listenHttp = (
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ListenOptions
): Effect.Effect<{ readonly address: string }, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, port } = options
    const server = yield* Effect.acquireRelease(
      Effect.sync(() => open(handler, options)),
      close
    )
    yield* Effect.async<void, ListenFailed>((resume) => {
      const onError = (cause: NodeJS.ErrnoException) => {
        resume(Effect.fail(new ListenFailed({ host, port, detail: reasonOf(cause) })))
      }
      server.once("error", onError)
      // As long as the connections that may be open, so that a flood of new ones does not make others wait for a retry.
      server.listen({ host, port, backlog: options.connections }, () => {
        server.off("error", onError)
        resume(Effect.void)
      })
    })
    const bound = server.address()
    const at = typeof bound === "object" && bound !== null ? bound : { address: host, port, family: "IPv4" }
    return { address: `http://${at.family === "IPv6" ? `[${at.address}]` : at.address}:${at.port}` }
  })

const open = (
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: ListenOptions
): Server => {
  const milliseconds = options.requestSeconds * 1000
  const connections = makeConnections(options.connections, handler)
  const server = createServer(
    {
      requestTimeout: milliseconds,
      headersTimeout: Math.min(milliseconds, 10_000),
      keepAliveTimeout: 15_000,
      connectionsCheckingInterval: Math.min(milliseconds, 5_000),
      maxHeaderSize: maxHead,
      ServerResponse: SettledResponse
    },
    connections.answer
  )
  server.maxRequestsPerSocket = 0
  // Closes sockets without any traffic, such as a client that stopped reading its response.
  server.setTimeout(Math.max(milliseconds, 60_000))
  server.on("connection", connections.open)
  server.on("clientError", (error, socket) => refuse(error, socket, connections.isAnswering(socket)))
  return server
}

const close = (server: Server): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (!server.listening) {
      resume(Effect.void)
      return
    }
    const cut = setTimeout(() => server.closeAllConnections(), 1_000)
    server.close(() => {
      clearTimeout(cut)
      resume(Effect.void)
    })
    server.closeIdleConnections()
  })

/** Answers an unparsable request with an error, unless an earlier one is still being answered. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex, amid: boolean): void => {
  if (error.code === "ECONNRESET" || !socket.writable || amid) {
    socket.destroy()
    return
  }
  const [status, said] = unreadable[error.code ?? ""] ?? [
    400,
    "the request is not valid HTTP; correct the request"
  ]
  const refusal: (typeof ErrorResponse)["Encoded"] = {
    _tag: "BadRequest",
    code: "request_invalid",
    message: said
  }
  const body = JSON.stringify(refusal)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
}

const unreadable: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    `the request's headers are larger than ${maxHead} bytes; send fewer or shorter ones`
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    "the body's chunk extensions are too long; send the body without them"
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "the request did not arrive in time; send it again"]
}

const reasonOf = ({ code = "", message }: NodeJS.ErrnoException): string => listenFaults[code] ?? message

const noAddress = "this machine does not have this address; choose another with --host"
const listenFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use; choose another with --port",
  EACCES: "no permission to use this port; choose one above 1023 with --port",
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress
}

/**
 * Node calls the function that is given to `end` only when the response has been sent. If the client disconnects first,
 * this class calls it, so that the fiber that waits for it ends.
 */
export class SettledResponse extends ServerResponse<IncomingMessage> {
  override end(...words: ReadonlyArray<unknown>): this {
    const done = words.at(-1)
    if (isCallback(done)) {
      if (this.destroyed) queueMicrotask(done)
      else this.once("close", done)
    }
    return Reflect.apply(super.end.bind(this), undefined, words)
  }
}

const isCallback = (word: unknown): word is () => void => typeof word === "function"

/**
 * The server's open connections. One request of each is answered at a time, and connections that wait for a request
 * give way to new ones.
 */

/** Maximum requests that a client may send on one connection while an earlier one is being answered. */
export const maxPipelined = 32

interface Turn {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** At most `most` connections are open at once. */
const makeConnections = (
  most: number,
  handler: (request: IncomingMessage, response: ServerResponse) => void
) => {
  const all = new Set<Duplex>()
  /** Connections without a request; the one that has waited longest comes first. */
  const idle = new Set<Duplex>()
  /** Requests by connection: the first is being answered. */
  const turns = new WeakMap<Duplex, Array<Turn>>()

  const forget = (socket: Duplex): void => {
    all.delete(socket)
    idle.delete(socket)
    turns.delete(socket)
  }

  const handle = ({ request, response }: Turn): void => {
    const { socket } = request
    response.once("close", () => {
      const waiting = turns.get(socket)
      waiting?.shift()
      const [next] = waiting ?? []
      if (next !== undefined) handle(next)
      else if (all.has(socket)) {
        turns.delete(socket)
        idle.add(socket)
      }
    })
    handler(request, response)
  }

  return {
    /** Counts a new connection. If there are too many, closes the one that has waited longest for a request. */
    open: (socket: Duplex): void => {
      all.add(socket)
      idle.add(socket)
      socket.once("close", () => forget(socket))
      if (all.size <= most) return
      const [longest = socket] = idle
      forget(longest)
      longest.destroy()
    },
    /** Calls the handler, after the connection's earlier requests have been answered. */
    answer: (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request
      // Requests that came with the one for which the connection was closed.
      if (!all.has(socket)) return
      const turn = { request, response }
      const waiting = turns.get(socket)
      if (waiting === undefined) {
        idle.delete(socket)
        turns.set(socket, [turn])
        handle(turn)
      } else if (waiting.length > maxPipelined) {
        forget(socket)
        socket.destroy()
      } else waiting.push(turn)
    },
    /** Whether bytes written to the connection now would land in a response, or in front of an earlier one. */
    isAnswering: (socket: Duplex): boolean => {
      const [current, next] = turns.get(socket) ?? []
      return (
        next !== undefined || (current?.response.headersSent === true && !current.response.writableFinished)
      )
    }
  }
}
