/** A client that is generated from the service's OpenAPI document speaks a text through the service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Started, startService } from "../start.ts"

let service: Started
let folder: string
beforeAll(async () => {
  service = await startService()
  // Within the project, so that the script finds openapi-fetch.
  const cache = join("node_modules", ".cache")
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, "openapi-client-"))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service.stop()
})

/** A user's script. A field or a path that the document lacks, or types otherwise, does not compile. */
const script = `import createClient from "openapi-fetch"
import type { paths } from "./api.d.ts"

export const speak = async (baseUrl: string, key: string) => {
  const client = createClient<paths>({ baseUrl, headers: { "xi-api-key": key } })
  const voices = await client.GET("/v1/voices", { params: { query: { provider: "provider_fast", limit: 2 } } })
  const voice_id = voices.data?.voices[0]?.voice_id ?? ""
  const before = await client.GET("/v1/credits")
  const made = await client.POST("/v1/text-to-speech/{voice_id}", {
    params: { path: { voice_id }, header: { "idempotency-key": "one" } },
    body: { provider: "provider_fast", text: "Good evening. The train leaves at nine." }
  })
  const task_id = made.data?.task_id ?? ""
  let task = await client.GET("/v1/task/{task_id}", { params: { path: { task_id }, header: { prefer: "wait=20" } } })
  while (task.data?.status === "queued" || task.data?.status === "processing")
    task = await client.GET("/v1/task/{task_id}", { params: { path: { task_id }, header: { prefer: "wait=20" } } })
  const audio = await fetch(task.data?.audio_url ?? "")
  const refused = await client.POST("/v1/text-to-speech/{voice_id}", {
    params: { path: { voice_id } },
    body: { provider: "provider_fast", text: "" }
  })
  const after = await client.GET("/v1/credits")
  const listed = await client.GET("/v1/tasks", { params: { query: {} } })
  const deleted = await client.DELETE("/v1/task/delete", { body: { task_id } })
  return {
    statuses: [made, task, refused, listed, deleted].map(({ response }) => response.status),
    status: task.data?.status,
    audio: Buffer.from(await audio.arrayBuffer()).length,
    spent: (after.data?.used ?? 0) - (before.data?.used ?? 0),
    credits: made.data?.credits,
    refusal: refused.error,
    listed: listed.data?.tasks.map((one) => one.task_id)
  }
}
`

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: ["node"]
}

/** Returns the errors of a TypeScript file. */
const errorsOf = (file: string): ReadonlyArray<string> =>
  ts
    .getPreEmitDiagnostics(ts.createProgram([file], options))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\\n"))

test("a script with a generated client compiles and runs", async () => {
  const document = await (await fetch(`${service.address}/openapi.json`)).text()
  writeFileSync(join(folder, "api.d.ts"), astToString(await openapiTS(document)))
  const file = join(folder, "script.ts")
  writeFileSync(file, script)
  expect(errorsOf(file)).toEqual([])
  const built = join(folder, "script.mjs")
  writeFileSync(
    built,
    ts.transpileModule(script, { compilerOptions: { ...options, noEmit: false } }).outputText
  )
  const { speak } = await import(pathToFileURL(built).href)
  const said = await speak(service.address, await service.newKey(1_000))
  expect(said).toMatchObject({ statuses: [200, 200, 422, 200, 200], status: "done" })
  expect(said.spent).toBe(said.credits)
  expect(said.audio).toBeGreaterThan(5_000)
  expect(said.listed).toHaveLength(1)
})
