/** Adds attributes to the spans and log lines of some work, such as its job or its utterance. */
import { Effect, type Fiber, FiberRef, LogLevel } from "effect"

/**
 * Attributes of work, such as its job or its utterance's key. They are text, because the service receives them as
 * headers.
 */
type Attributes = Readonly<Record<string, string>>

/**
 * Whether spans are collected or debug lines shown. If not, work is not marked, because marks would take a fifth of a
 * run's CPU time.
 */
const isObserved = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  fiber.getFiberRef(FiberRef.currentTracerEnabled) ||
  LogLevel.lessThanEqual(fiber.getFiberRef(FiberRef.currentMinimumLogLevel), LogLevel.Debug)

type Marking = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const ifObserved =
  (marking: Marking): Marking =>
  (work) =>
    Effect.withFiberRuntime((fiber) => (isObserved(fiber) ? marking(work) : work))

/** Marks the spans and log lines of some work, if anyone sees them. */
export const about = (attributes: Attributes): Marking =>
  ifObserved((work) => Effect.annotateSpans(Effect.annotateLogs(work, attributes), attributes))

/** Runs work in a span. Marks the span and the work's log lines, if anyone sees them. */
export const inSpan = (name: string, attributes: Attributes = {}): Marking =>
  ifObserved((work) => about(attributes)(Effect.withSpan(work, name, { captureStackTrace: false })))

/** Logs a debug line, if debug lines are shown. */
export const logDebug = (...words: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => (isObserved(fiber) ? Effect.logDebug(...words) : Effect.void))
