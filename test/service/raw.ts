/** Sends raw bytes to a socket, unlike a well-behaved client, and reads the response. */
import { connect } from "node:net"

/** A response read from a connection until it closed or the response was complete. */
export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * Sends bytes and reads one response. Returns `undefined` if the connection closed without one; fails if nothing
 * arrives for `patience` milliseconds.
 */
export const send = (
  address: string,
  pieces: ReadonlyArray<string | Uint8Array>,
  patience = 15_000
): Promise<RawAnswer | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const socket = connect({ host: hostname, port: Number(port) })
    let received = Buffer.alloc(0)
    const finish = () => {
      socket.destroy()
      resolve(parsed(received))
    }
    socket.setTimeout(patience, () => {
      socket.destroy()
      reject(
        new Error(`nothing came for ${patience} ms; so far: ${received.toString("latin1").slice(0, 200)}`)
      )
    })
    socket.on("connect", () => {
      for (const piece of pieces) socket.write(piece)
    })
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      const answer = parsed(received)
      const length = Number(answer?.headers.get("content-length") ?? Number.NaN)
      if (answer !== undefined && Buffer.byteLength(answer.body) >= length) finish()
    })
    socket.on("close", finish)
    // A server that rejects a request early may reset the connection while more is being sent.
    socket.on("error", finish)
  })

const parsed = (bytes: Buffer): RawAnswer | undefined => {
  const text = bytes.toString("utf8")
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = text.slice(0, end).split("\r\n")
  return {
    status: Number(first.split(" ")[1]),
    headers: new Map(
      lines.map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      })
    ),
    body: text.slice(end + 4)
  }
}
