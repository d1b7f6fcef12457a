/**
 * The server's open connections. One request of each is answered at a time, and connections that wait for a request
 * give way to new ones.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

/** Maximum requests that a client may send on one connection while an earlier one is being answered. */
export const mostPipelined = 32

interface Turn {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Handles requests and connections as they come. */
export interface Connections {
  /** Counts a new connection. If there are too many, closes the one that has waited longest for a request. */
  readonly open: (socket: Duplex) => void
  /** Calls the handler, after the connection's earlier requests have been answered. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether bytes written to the connection now would land in a response, or in front of an earlier one. */
  readonly isAnswering: (socket: Duplex) => boolean
}

/** At most `most` connections are open at once. */
export const makeConnections = (
  most: number,
  handler: (request: IncomingMessage, response: ServerResponse) => void
): Connections => {
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
    open: (socket) => {
      all.add(socket)
      idle.add(socket)
      socket.once("close", () => forget(socket))
      if (all.size <= most) return
      const [longest = socket] = idle
      forget(longest)
      longest.destroy()
    },
    answer: (request, response) => {
      const { socket } = request
      // Requests that came with the one for which the connection was closed.
      if (!all.has(socket)) return
      const turn = { request, response }
      const waiting = turns.get(socket)
      if (waiting === undefined) {
        idle.delete(socket)
        turns.set(socket, [turn])
        handle(turn)
      } else if (waiting.length > mostPipelined) {
        forget(socket)
        socket.destroy()
      } else waiting.push(turn)
    },
    isAnswering: (socket) => {
      const [current, next] = turns.get(socket) ?? []
      return (
        next !== undefined || (current?.response.headersSent === true && !current.response.writableFinished)
      )
    }
  }
}
