/** A real service on loopback for tests: its own data folder, its real database and engines. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Logger, LogLevel, ManagedRuntime, Redacted, Schema, Scope } from "effect"
import { Task, TaskReference } from "../../src/contract/Task.ts"
import * as Keys from "../../src/service/accounts/KeyManagement.ts"
import { ErrorResponse } from "../../src/service/http/ErrorResponse.ts"
import { serve } from "../../src/service/Service.ts"
import type { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"

/** With ffmpeg, looked for once. */
export const runtime = ManagedRuntime.make(bundledFfmpeg)

/** A running service and a way to ask it. */
export interface Started {
  readonly address: string
  readonly dataDir: string
  /** A key to an account without limit. */
  readonly key: string
  readonly newKey: (credits?: number) => Promise<string>
  /** Stops it as its own process would be stopped. */
  readonly close: () => Promise<void>
  /** Stops it and deletes its folder. */
  readonly stop: () => Promise<void>
}

/** Starts one, in a folder of its own where none is named; `log` is given every line of its log. */
export const startService = async (
  config: ServiceConfig = {},
  dataDir = mkdtempSync(join(tmpdir(), "dubwright-service-")),
  log?: (line: string) => void
): Promise<Started> => {
  const scope = Effect.runSync(Scope.make())
  const { address } = await runtime.runPromise(
    serve({ host: "127.0.0.1", port: 0, dataDir, config }).pipe(
      Logger.withMinimumLogLevel(log === undefined ? LogLevel.None : LogLevel.All),
      Effect.provide(
        Logger.replace(Logger.defaultLogger, Logger.map(Logger.jsonLogger, log ?? (() => undefined)))
      ),
      Scope.extend(scope)
    )
  )
  const newKey = (credits?: number) =>
    Effect.runPromise(
      Effect.map(
        Keys.createKey(dataDir, { name: "test", ...(credits === undefined ? {} : { credits }) }),
        Redacted.value
      )
    )
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    address,
    dataDir,
    newKey,
    key: await newKey(),
    close,
    stop: async () => {
      await close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

/** An answer, read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Asks with JSON both ways. */
export const ask = async (
  address: string,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown
): Promise<Answer> => {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { "xi-api-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text)
  }
}

const referenceIn = Schema.decodeUnknownSync(TaskReference)
const taskIn = Schema.decodeUnknownSync(Task)
const refusalIn = Schema.decodeUnknownSync(ErrorResponse)

/** Makes a task. */
export const create = async (
  { address }: Pick<Started, "address">,
  key: string,
  voice: string,
  body: { readonly provider: string; readonly text: string; readonly [field: string]: unknown }
): Promise<TaskReference> => {
  const answer = await ask(address, key, "POST", `/v1/text-to-speech/${voice}`, body)
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${JSON.stringify(answer.body)}`)
  return referenceIn(answer.body)
}

/** Reads a task until it has ended. */
export const ended = async (
  { address }: Pick<Started, "address">,
  key: string,
  taskId: string
): Promise<Task> => {
  for (;;) {
    const task = taskIn((await ask(address, key, "GET", `/v1/task/${taskId}`)).body)
    if (task.status === "done" || task.status === "failed") return task
    await new Promise((resume) => setTimeout(resume, 20))
  }
}

/** The kind, code and field of a refusal; throws where the answer is none in the documented shape. */
export const refusalOf = (
  answer: Answer
): readonly [status: number, code: string, field: string | undefined] => {
  const refusal = refusalIn(answer.body)
  return [answer.status, refusal.code, refusal.field]
}
