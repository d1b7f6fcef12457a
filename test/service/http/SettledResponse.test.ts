/** The end of a response whose client disconnects. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { expect, test } from "vitest"
import { SettledResponse } from "../../../src/service/http/HttpServer.ts"

/**
 * Sends a response of this many bytes to a client that reads nothing. Returns whether the code that ended the response
 * learned of its end.
 */
const isTold = async (bytes: number, leave: "before" | "during" | "after"): Promise<boolean> => {
  let told = false
  const answer = async (response: ServerResponse): Promise<void> => {
    const gone = once(response, "close")
    if (leave === "before") await gone
    response.end(Buffer.alloc(bytes), () => {
      told = true
    })
    if (leave === "after") await once(response, "finish")
    client.destroy()
    await gone
  }
  let answered: Promise<void> | undefined
  const server = createServer({ ServerResponse: SettledResponse }, (_, response) => {
    answered = answer(response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const client = connect({ host: "127.0.0.1", port }).pause()
  client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
  if (leave === "before") {
    await once(server, "request")
    client.destroy()
  }
  await once(client, "close")
  await answered
  server.close()
  return told
}

test.each(["before", "during", "after"] as const)(
  "the end of a response is reported even if the client leaves %s it",
  async (leave) => {
    expect(await isTold(leave === "after" ? 100 : 50_000_000, leave)).toBe(true)
  }
)
