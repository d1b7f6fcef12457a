/** Tasks whose engine or provider is unavailable stay queued, or fail without cost. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import type { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"
import { ask, create, ended, refusalOf, type Started, startService } from "./start.ts"

const started: Array<Started> = []
const folders: Array<string> = []
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "dubwright-waiting-"))
  folders.push(made)
  return made
}

/** Writes a program that runs the given shell commands. */
const write = (file: string, commands: string): void => {
  writeFileSync(file, `#!/bin/sh\n${commands}\n`)
  chmodSync(file, 0o755)
}

/** A provider whose engine is the given program. */
const spokenBy = (program: string): ServiceConfig => ({
  audio: { format: "wav" },
  limits: { drain: 0 },
  engines: {
    program: {
      kind: "command",
      program,
      args: [],
      rawRate: SampleRate.make(24_000),
      voices: [{ id: "one" }]
    }
  },
  providers: {
    provider_expressive: { enabled: false },
    provider_native: { enabled: false },
    provider_lowcost: { enabled: false },
    provider_opensource: { enabled: false },
    provider_fast: { engine: "program", voicePrefix: "fast-", concurrency: 1 }
  }
})

/** Three tasks that a service accepted, but did not speak before it stopped. */
const leftOver = async (dataDir: string, program: string) => {
  write(program, "exec sleep 60")
  const service = await startService(spokenBy(program), dataDir)
  const key = await service.newKey(100)
  const tasks: Array<string> = []
  for (let index = 0; index < 3; index++) {
    const { task_id } = await create(service, key, "fast-one", { provider: "provider_fast", text: "Words." })
    tasks.push(task_id)
  }
  await service.close()
  return { key, tasks }
}

test("tasks stay queued while their engine is unavailable", async () => {
  const [dataDir, programs] = [folder(), folder()]
  const program = join(programs, "speak")
  const { key, tasks } = await leftOver(dataDir, program)
  rmSync(program)
  const log: Array<string> = []
  const service = await startService(spokenBy(program), dataDir, (line) => log.push(line))
  started.push(service)
  while (!log.some((line) => line.includes('"tasks delayed"'))) {
    await new Promise((resume) => setTimeout(resume, 20))
  }
  const answer = await ask(service.address, key, "POST", "/v1/text-to-speech/fast-one", {
    provider: "provider_fast",
    text: "Words."
  })
  expect(refusalOf(answer).slice(0, 2)).toEqual([503, "engine_unavailable"])
  write(program, "head -c 4800 /dev/zero")
  for (const task of tasks) expect((await ended(service, key, task)).status).toBe("done")
  expect(log.filter((line) => /"tasks (?:delayed|resumed)"/u.test(line)).length).toBe(2)
})

test("tasks of a provider that is no longer offered fail without cost", async () => {
  const [dataDir, programs] = [folder(), folder()]
  const program = join(programs, "speak")
  const { key, tasks } = await leftOver(dataDir, program)
  const { providers } = spokenBy(program)
  const service = await startService(
    { providers: { ...providers, provider_lowcost: {}, provider_fast: { enabled: false } } },
    dataDir
  )
  started.push(service)
  for (const task of tasks) {
    expect(await ended(service, key, task)).toMatchObject({
      status: "failed",
      error: { code: "not_offered" }
    })
  }
  expect((await ask(service.address, key, "GET", "/v1/credits")).body).toMatchObject({
    credits: 100,
    used: 0,
    reserved: 0
  })
})
