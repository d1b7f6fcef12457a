/** The only door to stdout and stderr: results to the one, everything said along the way to the other. */
import { stripVTControlCharacters } from "node:util"
import { Clock, Context, Effect, Layer } from "effect"
import { eraseLines, fitToWidth } from "./LineRedraw.ts"
import type { Look } from "./TextTable.ts"

export class Screen extends Context.Tag("app/Screen")<
  Screen,
  {
    /** Whether stderr is a terminal that can be drawn on. */
    readonly live: boolean
    /** How results are shown. */
    readonly look: Look
    readonly columns: () => number
    /** A result, on stdout; a line break is added where it lacks one. */
    readonly result: (text: string) => Effect.Effect<void>
    /**
     * A line on stderr, above whatever is drawn, and in the log; `at` (milliseconds since 1970) puts the time of day
     * before it.
     */
    readonly say: (line: string, at?: number) => Effect.Effect<void>
    /** What happened, as a line of JSON on stderr and in the log; `at` as above. */
    readonly event: (facts: Readonly<Record<string, unknown>>, at: number) => Effect.Effect<void>
    /** A line for the log alone. */
    readonly note: (line: string) => Effect.Effect<void>
    /** From now on, lines go to this log too. */
    readonly logTo: (log: (line: string) => void) => Effect.Effect<void>
    /** Draws rows at the foot of the terminal in place of those drawn before; none erases them. */
    readonly draw: (rows: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {}

/** A stream of text that may be a terminal. */
export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  readonly write: (text: string, done: () => void) => unknown
}

/**
 * A screen on two streams; `environment` is asked for NO_COLOR, FORCE_COLOR and TERM. With `events`, whatever is said
 * is an event too: who reads them line by line as JSON meets nothing else on stderr.
 */
export const makeScreen = (
  stdout: Stream,
  stderr: Stream,
  environment: Readonly<Record<string, string | undefined>>,
  events = false
): Context.Tag.Service<Screen> => {
  let drawn: ReadonlyArray<string> = []
  let log: (line: string) => void = () => {}
  const columns = () => stderr.columns ?? 80
  const dumb = environment["TERM"] === "dumb"
  const plain = (environment["NO_COLOR"] ?? "") !== "" || dumb
  const put = (stream: Stream, text: string) =>
    Effect.async<void>((resume) => {
      stream.write(text, () => resume(Effect.void))
    })
  const redrawn = (between: string, rows: ReadonlyArray<string>) => {
    const width = Math.max(1, columns() - 1)
    const room = Math.max(0, (stderr.rows ?? 24) - 1)
    const next = rows
      .slice(0, room)
      .map((row) => fitToWidth(plain ? stripVTControlCharacters(row) : row, width))
    const text = eraseLines(drawn, columns()) + between + next.map((row) => `${row}\n`).join("")
    drawn = next
    return text
  }
  const said = (text: string) =>
    Effect.suspend(() =>
      put(stderr, redrawn(`${plainOn(stderr) ? stripVTControlCharacters(text) : text}\n`, drawn))
    )
  const plainOn = (stream: Stream) => stream.isTTY !== true || plain
  const event = (facts: Readonly<Record<string, unknown>>, at: number) => {
    const line = eventLine(facts, at)
    log(line)
    return said(line)
  }
  return {
    live: stderr.isTTY === true && !dumb,
    look: {
      colour: stdout.isTTY === true && !plain,
      columns: stdout.isTTY === true ? stdout.columns : undefined
    },
    columns,
    result: (text) =>
      Effect.suspend(() => {
        const whole = text.endsWith("\n") ? text : `${text}\n`
        return put(stdout, plainOn(stdout) ? stripVTControlCharacters(whole) : whole)
      }),
    say: (line, at) =>
      Effect.suspend(() => {
        if (events) return Effect.flatMap(Clock.currentTimeMillis, (now) => event(sayAs(line), now))
        log(line)
        return said(at === undefined ? line : `${timeOfDay(at)}  ${line}`)
      }),
    event: (facts, at) => Effect.suspend(() => event(facts, at)),
    note: (line) => Effect.sync(() => log(line)),
    logTo: (sink) =>
      Effect.sync(() => {
        log = sink
      }),
    draw: (rows) => Effect.suspend(() => put(stderr, redrawn("", rows)))
  }
}

/** What happened at a time (milliseconds since 1970), as a line of JSON. */
export const eventLine = (facts: Readonly<Record<string, unknown>>, at: number): string =>
  JSON.stringify({ at: new Date(at).toISOString(), ...facts })

/** What is said along the way, as an event. */
export const sayAs = (message: string) => ({ event: "Said", message })

/** The time of day in the user's own zone. */
const timeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 8)

/** The process's own screen; with `events` stderr is JSON alone. */
export const processScreen = (events: boolean) =>
  Layer.sync(Screen, () => makeScreen(process.stdout, process.stderr, process.env, events))
