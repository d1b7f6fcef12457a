/** The `serve` command: runs the speech service in its own process. */
import { FileSystem } from "@effect/platform"
import { Effect, FiberRef, Logger, LogLevel } from "effect"
import { unreadableInput } from "../../pipeline/load/InputFile.ts"
import * as Service from "../../service/Service.ts"
import type { SharedStorageUrls } from "../../service/storage/SharedStorageUrls.ts"
import { parseConfig } from "../../service/config/ServiceConfigFile.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"

export interface ServeCommandOptions {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly shared: SharedStorageUrls | undefined
  readonly config: string | undefined
  readonly quiet: boolean
  readonly verbose: boolean
}

/** Serves until interrupted; tasks in progress finish first. */
export const serveCommand = (options: ServeCommandOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const config = options.config === undefined ? {} : yield* settingsIn(options.config)
    const { address } = yield* Service.serve({
      host: options.host,
      port: options.port,
      dataDir: options.data,
      ...(options.shared === undefined ? {} : { shared: options.shared }),
      config
    })
    yield* screen.result(`listening ${address}`)
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(ffmpegFromEnvironment), (serving) =>
    Effect.flatMap(FiberRef.get(FiberRef.currentMinimumLogLevel), (chosen) =>
      Logger.withMinimumLogLevel(serving, levelOf(options, chosen))
    )
  )

/** The level of the service's log; `chosen` is that of the command, which `--log-level` sets. */
const levelOf = ({ quiet, verbose }: ServeCommandOptions, chosen: LogLevel.LogLevel): LogLevel.LogLevel => {
  if (quiet) return LogLevel.Warning
  const usual = verbose ? LogLevel.Debug : LogLevel.Info
  return LogLevel.lessThan(chosen, usual) ? chosen : usual
}

const settingsIn = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(file)
    .pipe(Effect.mapError((error) => badUsage(`${file}: ${unreadableInput(error)}`)))
  return yield* parseConfig(text, file)
})
