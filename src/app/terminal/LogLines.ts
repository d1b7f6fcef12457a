/** Logger layer: prints log entries of all rooms on the screen, above the progress display. */
import { Effect, Layer, Logger, LogLevel, Runtime } from "effect"
import { Screen } from "./Screen.ts"

/** Logs warnings and errors; with `verbose`, also information. `--log-level` overrides both. */
export const logsOn = (verbose: boolean): Layer.Layer<never, never, Screen> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const screen = yield* Screen
      const fork = Runtime.runFork(yield* Effect.runtime())
      const lines = Logger.map(Logger.logfmtLogger, (line) => fork(screen.say(line)))
      return Layer.merge(
        Logger.replace(Logger.defaultLogger, lines),
        Logger.minimumLogLevel(verbose ? LogLevel.Info : LogLevel.Warning)
      )
    })
  )
