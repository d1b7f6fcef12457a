/** Checks the container files without a container engine: references, command lines and the health check. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { parse } from "yaml"
import { describe, expect, test } from "vitest"
import { run, start } from "../app/process.ts"

const dockerfile = readFileSync("containers/Dockerfile", "utf8")
const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gmu)].map(([, base, name]) => ({ base, name }))

const Service = Schema.Struct({
  image: Schema.String,
  command: Schema.Array(Schema.String),
  build: Schema.optional(
    Schema.Struct({ context: Schema.String, dockerfile: Schema.String, target: Schema.String })
  ),
  volumes: Schema.Array(Schema.String),
  depends_on: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Struct({ condition: Schema.String }) })
  ),
  read_only: Schema.optional(Schema.Boolean),
  user: Schema.optional(Schema.String)
})
const Compose = Schema.Struct({
  services: Schema.Record({ key: Schema.String, value: Service }),
  volumes: Schema.Record({ key: Schema.String, value: Schema.Struct({}) })
})

const files = ["yaml", "fleet.yaml", "replicas.yaml"]
  .map((end) => `containers/compose.${end}`)
  .map((path) => ({
    path,
    ...Schema.decodeUnknownSync(Compose)(parse(readFileSync(path, "utf8"), { merge: true }))
  }))

/** All services that run dubwright. */
const programs = files.flatMap(({ path, services }) =>
  Object.entries(services)
    .filter(([, { image }]) => image === "dubwright")
    .map(([name, service]) => ({ path, name, ...service }))
)

describe("the Dockerfile", () => {
  test("names only stages that it defines before, and files that exist", () => {
    const names: Array<string | undefined> = ["${BASE}"]
    for (const { base, name } of stages) {
      expect(names).toContain(base)
      names.push(name)
    }
    for (const [, from] of dockerfile.matchAll(/^COPY --from=(\S+)/gmu)) expect(names).toContain(from)
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gmu)].flatMap(([, list = ""]) =>
      list.split(" ")
    )
    expect(copied.filter((path) => !existsSync(path))).toEqual([])
    expect(stages.at(-1)?.name).toBe("full")
  })

  test("removes packages from the slim image by the names they are installed under", () => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"))
    const installed = Object.keys({ ...dependencies, ...optionalDependencies })
    const removed = /&& rm -r (@.+)$/mu.exec(dockerfile)?.[1]?.split(" ") ?? []
    expect(removed.length).toBe(2)
    for (const path of removed)
      expect(installed.some((name) => name === path || name.startsWith(`${path}/`))).toBe(true)
  })

  test("runs as a user without rights, and its default command is accepted", async () => {
    const user = /^USER (\d+):(\d+)$/mu.exec(dockerfile)?.slice(1).map(Number) ?? []
    expect(user.every((id) => id > 0)).toBe(true)
    expect(user.length).toBe(2)
    const words: unknown = JSON.parse(/^CMD (\[.+\])$/mu.exec(dockerfile)?.[1] ?? "[]")
    await acceptsAll(Schema.decodeUnknownSync(Schema.Array(Schema.String))(words))
  })
})

describe("the compose files", () => {
  test.each(programs)("$path, $name: its command line is accepted", ({ command }) => acceptsAll(command))

  test("name only targets, services and volumes that exist, and keep the root read-only", () => {
    expect(programs.map(({ name }) => name)).toEqual(["service", "night", "worker", "run", "service"])
    for (const { build, read_only: isReadOnly, user } of programs) {
      expect(build).toEqual({ context: "..", dockerfile: "containers/Dockerfile", target: "full" })
      expect([isReadOnly, user]).toEqual([true, undefined])
    }
    for (const { services, volumes } of files)
      for (const { depends_on: needs = {}, volumes: mounts } of Object.values(services)) {
        expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(needs)))
        const named = mounts
          .map((mount) => mount.replace(/:[^:]*$/u, ""))
          .filter((name) => /^\w+$/u.test(name))
        expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named))
      }
  })
})

/** Checks a command line of dubwright: its options are in the command's help. */
const acceptsAll = async (words: ReadonlyArray<string>): Promise<void> => {
  const [command = ""] = words
  const help = await run([command, "--help"])
  expect([command, help.code]).toEqual([command, 0])
  const options = words.filter((word) => word.startsWith("--"))
  expect(options.length).toBeGreaterThan(0)
  for (const option of options) expect(help.stdout).toContain(` ${option} `)
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

describe.skipIf(process.platform !== "linux")("the health check", () => {
  const exitCodeFor = async (pid: number): Promise<unknown> =>
    (await once(spawn(process.execPath, ["containers/healthy.mjs", `${pid}`]), "exit"))[0]

  test("passes while the service runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-healthy-"))
    const port = await freePort()
    const { child, firstLine, ended } = start(["serve", "--port", `${port}`, "--data", folder])
    try {
      expect(await firstLine).toContain(`${port}`)
      expect(await exitCodeFor(child.pid ?? 0)).toBe(0)
    } finally {
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    }
  })

  test("fails only if a service does not respond", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-healthy-"))
    // Stands in for the service: responds until a request closes it.
    const script = join(folder, "serve.mjs")
    writeFileSync(
      script,
      [
        'import { createServer } from "node:http"',
        "const server = createServer((request, response) => {",
        '  response.writeHead(request.url === "/v1/health-check" ? 401 : 500).end()',
        "})",
        'server.listen(Number(process.argv[4]), "127.0.0.1", () => console.log("ready"))',
        'process.stdin.once("data", () => server.close(() => console.log("closed")))'
      ].join("\n")
    )
    const port = await freePort()
    const service = spawn(process.execPath, [script, "serve", "--port", `${port}`])
    const other = spawn(process.execPath, ["-e", "process.stdin.resume()", "worker"])
    try {
      await once(service.stdout, "data")
      const pid = service.pid ?? 0
      expect(await exitCodeFor(pid)).toBe(0)
      service.stdin.write("close\n")
      await once(service.stdout, "data")
      expect(await exitCodeFor(pid)).toBe(1)
      expect(await exitCodeFor(other.pid ?? 0)).toBe(0)
    } finally {
      service.kill()
      other.kill()
      rmSync(folder, { recursive: true })
    }
  })
})
