/** Where log entries of all rooms go: lines on stderr, never in the way of what is drawn there. */
import { Effect, Layer, Logger, LogLevel, Runtime } from "effect"
import { Screen } from "./Screen.ts"

/** Logs as lines on the screen: warnings and errors, or everything when `verbose`. */
export const logsOn = (verbose: boolean): Layer.Layer<never, never, Screen> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const screen = yield* Screen
      const fork = Runtime.runFork(yield* Effect.runtime())
      const lines = Logger.map(Logger.logfmtLogger, (line) => fork(screen.say(line)))
      return Layer.merge(
        Logger.replace(Logger.defaultLogger, lines),
        Logger.minimumLogLevel(verbose ? LogLevel.Debug : LogLevel.Warning)
      )
    })
  )
