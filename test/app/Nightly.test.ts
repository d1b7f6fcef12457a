/** Unattended runs: notifications, the log file, traces and `schedule`. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { emptyFolder, run } from "./process.ts"

interface Posted {
  readonly path: string
  readonly body: string
}

/** A server that stands in for a webhook and a trace collector. */
const listening = (posts: Array<Posted>): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        posts.push({ path: request.url ?? "", body })
        response.writeHead(request.url === "/refuses" ? 403 : 200, { "content-type": "application/json" })
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => resolve(server))
  })

const key = "a-key-that-nobody-may-see"
const posts: Array<Posted> = []
let server: Server
let home = ""

beforeAll(async () => {
  server = await listening(posts)
  const address = server.address()
  home = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
})
afterAll(() => server.close())

/** A folder with a batch of one line, whose manifest has this `notify`. */
const batch = (notify: string): string => {
  const folder = emptyFolder()
  writeFileSync(join(folder, "note.txt"), "All is well.\n")
  writeFileSync(
    join(folder, "night.yaml"),
    `service: embedded\nnotify: ${notify}\njobs:\n  - { input: note.txt, provider: provider_opensource, voice: os-slt }\n`
  )
  writeFileSync(
    join(folder, "hook.mjs"),
    `import { readFileSync, writeFileSync } from "node:fs"
const { jobs } = JSON.parse(readFileSync(0, "utf8"))
writeFileSync("told.json", JSON.stringify({ jobs, key: process.env.DUBWRIGHT_API_KEY ?? null, words: process.argv.slice(2) }))
console.log("the hook was here")
process.exit(Number(process.argv[3] ?? 0))
`
  )
  return folder
}

describe("a run at night", () => {
  test("notifies a command and a webhook, writes a log and sends traces, all without the key", async () => {
    const cwd = batch(`{ command: [node, hook.mjs, "a b; c"], webhook: $HOOK }`)
    const env = { DUBWRIGHT_API_KEY: key, HOOK: `${home}/hook`, OTEL_EXPORTER_OTLP_ENDPOINT: home }
    const { code, stdout, stderr } = await run(["run", "night.yaml", "--json", "--log", "logs/night.log"], {
      cwd,
      env
    })
    expect(code, stderr).toBe(0)
    const report = JSON.parse(stdout)
    expect(stderr).toContain("the hook was here")
    expect(JSON.parse(readFileSync(join(cwd, "told.json"), "utf8"))).toEqual({
      jobs: report.jobs,
      key: null,
      words: ["a b; c"]
    })
    expect(posts.filter(({ path }) => path === "/hook").map(({ body }) => JSON.parse(body))).toEqual([report])
    const spans = posts
      .filter(({ path }) => path === "/v1/traces")
      .flatMap(({ body }) => JSON.parse(body).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
      .map(({ name }) => name)
    for (const name of ["dubwright", "BatchPlan.planRun", "Dub.dub", "JobDelivery.deliverJob"])
      expect(spans).toContain(name)
    expect(readFileSync(join(cwd, "logs/night.log"), "utf8")).toMatch(/ {2}note: delivered\n$/u)
    expect(JSON.stringify(posts)).not.toContain(key)
  })

  test("starts from what schedule prints, even with special characters in its paths", async () => {
    const cwd = batch("{}")
    const home = join(cwd, "home")
    mkdirSync(join(home, ".config/dubwright"), { recursive: true })
    writeFileSync(join(home, ".config/dubwright/environment"), "DUBWRIGHT_FFMPEG=/nowhere/ffmpeg\n")
    const manifest = "my film's 100% $night.yaml"
    renameSync(join(cwd, "night.yaml"), join(cwd, manifest))
    const printed = async (kind: string) => {
      const { code, stdout } = await run(
        ["schedule", manifest, "--at", "1:05", "--deadline", "06:00", "--kind", kind],
        { cwd, env: { HOME: home } }
      )
      expect(code).toBe(0)
      return stdout
    }
    const cron = await printed("cron")
    expect(cron).toMatch(/^5 1 \* \* \* cd .*[^\n]\n$/u)
    const shell = cron
      .trimEnd()
      .replace("5 1 * * * ", "")
      .replaceAll(String.raw`\%`, "%")
    const started = spawnSync("sh", ["-c", shell], {
      env: { HOME: home, PATH: process.env["PATH"] },
      encoding: "utf8"
    })
    expect([started.status, started.stderr], "reads the environment file").toEqual([
      2,
      expect.stringContaining("/nowhere/ffmpeg")
    ])
    const unit = await printed("service")
    expect(unit).toContain(`run "${join(cwd, "my film's 100%% $$night.yaml")}" --deadline 06:00`)
    const name = join(cwd, "dubwright-night")
    writeFileSync(`${name}.service`, unit)
    writeFileSync(`${name}.timer`, await printed("timer"))
    const verified = spawnSync("systemd-analyze", ["verify", `${name}.timer`, `${name}.service`], {
      encoding: "utf8"
    })
    if (verified.error === undefined) expect([verified.status, verified.stderr]).toEqual([0, ""])
  })

  test("reports a failing hook, and changes nothing else", async () => {
    const cwd = batch(`{ command: [node, hook.mjs, x, "7"], webhook: "${home}/refuses" }`)
    const { code, stderr } = await run(["run", "night.yaml", "--quiet"], { cwd })
    expect(code).toBe(0)
    expect(stderr.split("\n").slice(1)).toEqual([
      "warning: notify.command node: exited with code 7",
      `warning: notify.webhook: ${new URL(home).host} returned status 403`,
      ""
    ])
  })
})
