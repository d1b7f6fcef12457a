/** A service whose first engine breaks in the middle of a task. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { afterEach, expect, test } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import type { ServiceConfig } from "../../../src/service/config/ServiceConfig.ts"
import type { EngineSettings } from "../../../src/service/config/EngineConfig.ts"
import { ask, create, ended, type Started, startService } from "../start.ts"

const started: Array<Started> = []
const folders: Array<string> = []
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const rate = SampleRate.make(8_000)

/** An engine that speaks 800 equal samples of one byte twice, unless the text has a word that breaks it. */
const engineOf = (folder: string, name: string, byte: string, breaksAt: string): EngineSettings => {
  const program = join(folder, name)
  writeFileSync(
    program,
    `#!/bin/sh\ntext=$(cat)\ncase "$text" in *${breaksAt}*) exit 9;; esac\nhead -c 1600 /dev/zero | tr '\\0' '${byte}'\n`
  )
  chmodSync(program, 0o755)
  return { kind: "command", program, args: [], rawRate: rate, voices: [{ id: `${name}-voice` }] }
}

/** A provider whose first engine is found but cannot be started. Its second one lacks the voice "f-y". */
const half = (folder: string): ServiceConfig => {
  const broken = join(folder, "broken")
  writeFileSync(broken, "#!/nowhere\n", { mode: 0o755 })
  const one = {
    kind: "command",
    program: broken,
    args: [],
    voices: [{ id: "two-voice" }, { id: "y" }]
  } as const
  return {
    audio: { format: "wav" },
    engines: { one, two: engineOf(folder, "two", "\\001", "nothing") },
    providers: {
      provider_fast: { engines: [{ engine: "one" }, { engine: "two" }], voicePrefix: "f-", concurrency: 1 }
    }
  }
}

test("a task that waits for its engine is queued again, once the database can be written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-failover-"))
  folders.push(folder)
  const lines: Array<string> = []
  const service = await startService(half(folder), undefined, (line) => lines.push(line))
  started.push(service)
  const database = new Sqlite(join(service.dataDir, "service.sqlite"))
  database.exec(
    "CREATE TRIGGER refuse BEFORE UPDATE OF status ON tasks WHEN NEW.status = 'queued' BEGIN SELECT RAISE(ABORT, 'no'); END"
  )
  const { task_id } = await create(service, service.key, "f-y", { provider: "provider_fast", text: "Words." })
  const isRefused = (line: string) =>
    /cannot record the task's outcome yet|worker iteration failed/u.test(line)
  await expect.poll(() => lines.some(isRefused)).toBe(true)
  database.exec("DROP TRIGGER refuse")
  database.close()
  const status = async () =>
    Object((await ask(service.address, service.key, "GET", `/v1/task/${task_id}`)).body).status
  await expect.poll(status).toBe("queued")
})

test("a task has the audio of one engine, is charged once, and says which engine spoke", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-failover-"))
  folders.push(folder)
  const service = await startService({
    audio: { format: "wav" },
    engines: {
      first: engineOf(folder, "first", "\\001", "Second"),
      spare: engineOf(folder, "spare", "\\002", "nothing")
    },
    providers: {
      provider_fast: {
        srtInput: true,
        engines: [{ engine: "first" }, { engine: "spare", voices: { "*": "spare-voice" } }],
        voicePrefix: "f-"
      }
    }
  })
  started.push(service)
  const key = await service.newKey(1_000)
  const text = "1\n00:00:00,000 --> 00:00:01,000\nOne.\n\n2\n00:00:01,000 --> 00:00:02,000\nSecond.\n"
  const { task_id, credits } = await create(service, key, "f-first-voice", {
    provider: "provider_fast",
    text
  })
  const task = await ended(service, key, task_id)
  expect(task).toMatchObject({ status: "done", engine: "spare" })
  const audio = new Uint8Array(await (await fetch(task.audio_url ?? "")).arrayBuffer()).subarray(44)
  expect(new Set(audio.filter((byte) => byte !== 0))).toEqual(new Set([2]))
  expect((await ask(service.address, key, "GET", "/v1/credits")).body).toMatchObject({
    credits: 1_000 - credits,
    used: credits,
    reserved: 0
  })
  const plain = await create(service, key, "f-first-voice", { provider: "provider_fast", text: "One." })
  expect(await ended(service, key, plain.task_id)).toMatchObject({ status: "done", engine: "first" })
  const metrics = await (await fetch(`${service.address}/metrics`)).text()
  expect(metrics).toContain(
    'dubwright_engine_uses_total{provider="provider_fast",engine="first",outcome="failed"} 1'
  )
  expect(metrics).toContain('dubwright_engine_set_aside{provider="provider_fast",engine="first"} 0')
})
