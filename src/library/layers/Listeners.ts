/** Plain functions that listen to a run's progress or to its log. Their exceptions do not affect the run. */
import { HashMap, Layer, Logger, Effect } from "effect"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"

/** A listener's faults: the first message, or undefined. */
export interface ListenerFault {
  message: string | undefined
}

/** Calls a listener that may throw, or return a promise that rejects. */
const call = <A>(listener: (value: A) => unknown, value: A, fault: ListenerFault): void => {
  const failed = (cause: unknown) => {
    fault.message ??= cause instanceof Error ? cause.message : String(cause)
  }
  try {
    const returned = listener(value)
    if (returned instanceof Promise) returned.catch(failed)
  } catch (cause) {
    failed(cause)
  }
}

/** Passes every progress event to a listener. */
export const progressTo = (
  listener: (event: ProgressEvent) => unknown,
  fault: ListenerFault = { message: undefined }
): Layer.Layer<Progress> =>
  Layer.succeed(Progress, { emit: (event) => Effect.sync(() => call(listener, event, fault)) })

/** A line of the log. */
export interface LogEntry {
  readonly at: Date
  readonly level: "trace" | "debug" | "info" | "warning" | "error" | "fatal"
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** Replaces Effect's default logger, which prints to the terminal. Without a listener, the log is discarded. */
export const logTo = (listener: ((entry: LogEntry) => unknown) | undefined): Layer.Layer<never> =>
  Logger.replace(
    Logger.defaultLogger,
    listener === undefined
      ? Logger.none
      : Logger.make(({ date, logLevel, message, annotations }) => {
          const entry: LogEntry = {
            at: date,
            level: levels[logLevel._tag],
            message: [message].flat().map(textOf).join(" "),
            facts: Object.fromEntries(HashMap.toEntries(annotations))
          }
          call(listener, entry, { message: undefined })
        })
  )

const levels = {
  All: "trace",
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warning: "warning",
  Error: "error",
  Fatal: "fatal",
  None: "fatal"
} as const

const textOf = (part: unknown): string => (part instanceof Error ? part.message : String(part))
