/** Runs the machine's redis-server for a test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Whether redis-server is installed. If not, the tests that need it are skipped with a notice. */
export const hasRedis = spawnSync("redis-server", ["--version"]).status === 0

if (!hasRedis) process.stderr.write("redis-server is not installed; fleet tests are skipped\n")

/** Returns a free port. */
export const freePort = async (host: string): Promise<number> => {
  const server = createServer().listen(0, host)
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

export class RedisServer {
  private readonly folder = mkdtempSync(join(tmpdir(), "dubwright-redis-"))
  private child: ChildProcess | undefined

  private constructor(
    readonly host: string,
    readonly port: number,
    private readonly settings: ReadonlyArray<string>
  ) {}

  static async start(settings: ReadonlyArray<string> = [], host = "127.0.0.1"): Promise<RedisServer> {
    const server = new RedisServer(host, await freePort(host), settings)
    await server.begin()
    return server
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`
  }

  async begin(): Promise<void> {
    const { folder, host, port, settings } = this
    const kept = ["--appendonly", "yes", "--save", ""]
    const words = ["--port", `${port}`, "--bind", host, "--protected-mode", "no", "--dir", folder, ...kept]
    const child = spawn("redis-server", [...words, ...settings], { stdio: ["ignore", "pipe", "inherit"] })
    this.child = child
    await new Promise<void>((ready, failed) => {
      let said = ""
      child.stdout.on("data", (text) => {
        said += String(text)
        if (said.includes("Ready to accept connections")) ready()
      })
      child.once("exit", () => failed(new Error(`redis-server ended: ${said}`)))
    })
  }

  async stop(): Promise<void> {
    const { child } = this
    if (child === undefined || child.exitCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  }
}
