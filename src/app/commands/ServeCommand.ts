/** The aggregation service in a process of its own. */
import { FileSystem } from "@effect/platform"
import { Effect, Logger, LogLevel } from "effect"
import { unreadableInput } from "../../pipeline/load/InputFile.ts"
import * as Service from "../../service/Service.ts"
import { parseConfig } from "../../service/config/ServiceConfigFile.ts"
import { ffmpegLayer } from "../layers/FfmpegLayer.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"

export interface ServeCommandOptions {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly config: string | undefined
  readonly quiet: boolean
  readonly verbose: boolean
}

/** Serves until it is interrupted; then tasks under way come to their end first. */
export const serveCommand = (options: ServeCommandOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const config = options.config === undefined ? {} : yield* settingsIn(options.config)
    const { address } = yield* Service.serve({
      host: options.host,
      port: options.port,
      dataDir: options.data,
      config
    })
    yield* screen.result(`listening ${address}`)
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(ffmpegLayer),
    Logger.withMinimumLogLevel(
      options.quiet ? LogLevel.Warning : options.verbose ? LogLevel.Debug : LogLevel.Info
    )
  )

const settingsIn = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(file)
    .pipe(Effect.mapError((error) => badUsage(`${file}: ${unreadableInput(error)}`)))
  return yield* parseConfig(text, file)
})
