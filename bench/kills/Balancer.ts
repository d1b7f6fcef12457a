/** A TCP balancer in front of the service's replicas: each connection goes to one that listens. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export class Balancer {
  private readonly sockets = new Set<Socket>()
  private turn = 0

  private constructor(
    readonly port: number,
    readonly stop: () => void
  ) {}

  /** Starts it. `ports` returns the ports of the replicas that listen. */
  static async start(ports: () => ReadonlyArray<number>): Promise<Balancer> {
    const server = createServer((client) => {
      const open = ports()
      const port = open[balancer.turn++ % open.length]
      // Without a replica, the client retries.
      if (port === undefined) return void client.destroy()
      const replica = connect(port, "127.0.0.1")
      const both = [client, replica]
      for (const one of both) {
        balancer.sockets.add(one)
        one.setNoDelay(true)
        one.on("error", () => {})
        one.once("close", () => {
          balancer.sockets.delete(one)
          for (const each of both) each.destroy()
        })
      }
      client.pipe(replica)
      replica.pipe(client)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const listening = typeof address === "object" && address !== null ? address.port : 0
    const balancer = new Balancer(listening, () => {
      server.close()
      for (const socket of balancer.sockets) socket.destroy()
    })
    return balancer
  }
}
