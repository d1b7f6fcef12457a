/** Runs the machine's PostgreSQL for a test: a separate cluster in a temporary folder, on a loopback port. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import Pg from "pg"
import { freePort } from "../../fleet/RedisServer.ts"

const debian = "/usr/lib/postgresql"

/** The folder of PostgreSQL's programs: that of the newest Debian package, or of those on PATH. */
const programs = (): string | undefined => {
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((one, other) => Number(other) - Number(one))
    : []
  const found = versions
    .map((version) => join(debian, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")))
  return found ?? (spawnSync("initdb", ["--version"]).status === 0 ? "" : undefined)
}

/** PostgreSQL refuses to run as root: it then runs as the user of its package. */
const owner = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const id = (kind: string) =>
    Number(spawnSync("id", [kind, "postgres"], { encoding: "utf8" }).stdout.trim() || NaN)
  return { uid: id("-u"), gid: id("-g") }
}

/** Whether PostgreSQL can run here. If not, the tests that need it are skipped with a notice. */
export const hasPostgres = programs() !== undefined && !Number.isNaN(owner()?.uid ?? 0)

export class PostgresServer {
  private databases = 0

  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly child: ChildProcess
  ) {}

  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-postgres-"))
    const as = owner()
    if (as !== undefined) chownSync(folder, as.uid, as.gid)
    const data = join(folder, "data")
    const options = { cwd: folder, ...as } as const
    const bin = programs() ?? ""
    execFileSync(
      join(bin, "initdb"),
      [
        "--pgdata",
        data,
        "--username",
        "dubwright",
        "--auth",
        "trust",
        "--encoding",
        "UTF8",
        "--no-locale",
        "--no-sync"
      ],
      { ...options, stdio: "ignore" }
    )
    const port = await freePort("127.0.0.1")
    const settings = ["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories="]
    const child = spawn(
      join(bin, "postgres"),
      ["-D", data, "-p", `${port}`, ...settings.flatMap((setting) => ["-c", setting])],
      { ...options, stdio: ["ignore", "ignore", "pipe"] }
    )
    await new Promise<void>((ready, failed) => {
      let said = ""
      child.stderr.on("data", (text) => {
        said += String(text)
        if (said.includes("ready to accept connections")) ready()
      })
      child.once("exit", () => failed(new Error(`PostgreSQL ended: ${said}`)))
    })
    child.stderr.removeAllListeners("data").resume()
    return new PostgresServer(folder, port, child)
  }

  private urlOf(database: string): string {
    return `postgres://dubwright@127.0.0.1:${this.port}/${database}`
  }

  /** Runs a statement in a database. */
  async run(sql: string, database = "postgres"): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> {
    const client = new Pg.Client({ connectionString: this.urlOf(database) })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Creates a database. */
  async database(): Promise<Redacted.Redacted<string>> {
    const name = `service_${++this.databases}`
    await this.run(`CREATE DATABASE ${name}`)
    return Redacted.make(this.urlOf(name))
  }

  async stop(): Promise<void> {
    this.child.kill("SIGQUIT")
    await once(this.child, "exit")
    rmSync(this.folder, { recursive: true, force: true })
  }
}
