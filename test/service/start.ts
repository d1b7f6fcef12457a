/** Starts a real service on loopback for tests, with its own data folder, a real database and real engines. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Logger, LogLevel, ManagedRuntime, Redacted, Schema, Scope } from "effect"
import { Task, TaskReference } from "../../src/contract/Task.ts"
import * as Keys from "../../src/service/accounts/KeyManagement.ts"
import { ErrorResponse } from "../../src/service/http/ErrorResponse.ts"
import { serve } from "../../src/service/Service.ts"
import type { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import type { SharedStorageUrls } from "../../src/service/storage/SharedStorageUrls.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"

/** Provides ffmpeg, located once. */
export const runtime = ManagedRuntime.make(bundledFfmpeg)

/** A running service and how to reach it. */
export interface Started {
  readonly address: string
  readonly dataDir: string
  /** A key of an unlimited account. */
  readonly key: string
  readonly newKey: (credits?: number) => Promise<string>
  /** Stops it as a signal would. */
  readonly close: () => Promise<void>
  /** Stops it and deletes its folder. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a service, by default in a new folder. `log` receives every log line. With `shared`, it is a replica of those
 * with the same URLs.
 */
export const startService = async (
  config: ServiceConfig = {},
  dataDir = mkdtempSync(join(tmpdir(), "dubwright-service-")),
  log?: (line: string) => void,
  shared?: SharedStorageUrls
): Promise<Started> => {
  const scope = Effect.runSync(Scope.make())
  const { address } = await runtime.runPromise(
    serve({ host: "127.0.0.1", port: 0, dataDir, config, ...(shared === undefined ? {} : { shared }) }).pipe(
      Logger.withMinimumLogLevel(log === undefined ? LogLevel.None : LogLevel.All),
      // As the program runs it where no collector is set.
      Effect.withTracerEnabled(false),
      Effect.provide(
        Logger.replace(Logger.defaultLogger, Logger.map(Logger.jsonLogger, log ?? (() => undefined)))
      ),
      Scope.extend(scope)
    )
  )
  const newKey = (credits?: number) =>
    Effect.runPromise(
      Effect.map(
        Keys.createKey(shared ?? dataDir, { name: "test", ...(credits === undefined ? {} : { credits }) }),
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

/** A response with its decoded body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Sends a request with a JSON body and reads the JSON response. */
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

/** Creates a task. */
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

/** Polls a task until it has ended. */
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

/** Returns a refusal's kind, code and field; throws if the response is not a documented refusal. */
export const refusalOf = (
  answer: Answer
): readonly [status: number, code: string, field: string | undefined] => {
  const refusal = refusalIn(answer.body)
  return [answer.status, refusal.code, refusal.field]
}
