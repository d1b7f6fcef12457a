/** A real service on loopback for tests: its own data folder, its real database and engines. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Logger, LogLevel, Redacted, Scope } from "effect"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import * as Keys from "../../src/service/Keys.ts"
import { serve } from "../../src/service/Service.ts"
import type { ServiceConfig } from "../../src/service/ServiceConfig.ts"

/** A running service and a way to ask it. */
export interface Started {
  readonly address: string
  readonly dataDir: string
  /** A key to an account without limit. */
  readonly key: string
  readonly newKey: (credits?: number) => Promise<string>
  readonly stop: () => Promise<void>
}

/** Starts one; `stop` also deletes its folder. */
export const startService = async (config: ServiceConfig = {}): Promise<Started> => {
  const dataDir = mkdtempSync(join(tmpdir(), "dubwright-service-"))
  const scope = Effect.runSync(Scope.make())
  const { address } = await Effect.runPromise(
    serve({ host: "127.0.0.1", port: 0, dataDir, config }).pipe(
      Effect.provide(Ffmpeg.Default),
      Logger.withMinimumLogLevel(LogLevel.None),
      Scope.extend(scope)
    )
  )
  const newKey = (credits?: number) =>
    Effect.runPromise(
      Effect.map(
        Keys.create(dataDir, { name: "test", ...(credits === undefined ? {} : { credits }) }),
        Redacted.value
      )
    )
  return {
    address,
    dataDir,
    newKey,
    key: await newKey(),
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
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
