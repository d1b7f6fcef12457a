/** The only writer to stdout and stderr: results go to stdout, everything else to stderr. */
import { Clock, Context, Effect, Layer } from "effect"
import { escapeControls, unstyled } from "./ControlCharacters.ts"
import { eraseLines, fitToWidth } from "./LineRedraw.ts"
import type { Look } from "./TextTable.ts"

export class Screen extends Context.Tag("app/Screen")<
  Screen,
  {
    /** Whether stderr is a terminal that supports redrawing. */
    readonly live: boolean
    /** Format of results: colour and width. */
    readonly look: Look
    readonly columns: () => number
    /** Prints a result on stdout; adds a final line break if it has none. */
    readonly result: (text: string) => Effect.Effect<void>
    /**
     * Prints a line on stderr, above the drawn rows, and in the log. `at` (milliseconds since the epoch) prefixes the
     * time of day.
     */
    readonly say: (line: string, at?: number) => Effect.Effect<void>
    /** Prints an event as a line of JSON on stderr and in the log; `at` as above. */
    readonly event: (facts: Readonly<Record<string, unknown>>, at: number) => Effect.Effect<void>
    /** Writes a line to the log only. */
    readonly note: (line: string) => Effect.Effect<void>
    /** Also writes all further lines to this log. */
    readonly logTo: (log: (line: string) => void) => Effect.Effect<void>
    /** Draws rows below all other output, replacing those drawn before; an empty list erases them. */
    readonly draw: (rows: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {}

/** An output stream that may be a terminal. */
export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  readonly write: (text: string, done: () => void) => unknown
}

/**
 * Makes a screen on two streams; `environment` supplies NO_COLOR and TERM. With `events`, every line on stderr is a
 * JSON event, so that stderr can be parsed line by line. `shown` removes what nobody may see from all that is written.
 */
export const makeScreen = (
  stdout: Stream,
  stderr: Stream,
  environment: Readonly<Record<string, string | undefined>>,
  events = false,
  shown: (text: string) => string = (text) => text
): Context.Tag.Service<Screen> => {
  let drawn: ReadonlyArray<string> = []
  let log: (line: string) => void = () => {}
  const noted = (line: string) => log(shown(line))
  const columns = () => known(stderr.columns) ?? 80
  const dumb = environment["TERM"] === "dumb"
  const plain = (environment["NO_COLOR"] ?? "") !== "" || dumb
  const put = (stream: Stream, text: string) =>
    Effect.async<void>((resume) => {
      stream.write(shown(text), () => resume(Effect.void))
    })
  const redrawn = (between: string, rows: ReadonlyArray<string>) => {
    const width = Math.max(1, columns() - 1)
    const maxRows = Math.max(0, (known(stderr.rows) ?? 24) - 1)
    const next = rows
      .slice(0, maxRows)
      .map((row) => fitToWidth(plain ? unstyled(row) : escapeControls(row), width))
    const text = eraseLines(drawn, columns()) + between + next.map((row) => `${row}\n`).join("")
    drawn = next
    return text
  }
  const said = (text: string) =>
    Effect.suspend(() =>
      put(stderr, redrawn(`${plainOn(stderr) ? unstyled(text) : escapeControls(text)}\n`, drawn))
    )
  const plainOn = (stream: Stream) => stream.isTTY !== true || plain
  const event = (facts: Readonly<Record<string, unknown>>, at: number) => {
    const line = eventLine(facts, at)
    noted(line)
    return said(line)
  }
  return {
    live: stderr.isTTY === true && !dumb,
    look: {
      colour: stdout.isTTY === true && !plain,
      columns: stdout.isTTY === true ? known(stdout.columns) : undefined
    },
    columns,
    result: (text) =>
      Effect.suspend(() => {
        const whole = text.endsWith("\n") ? text : `${text}\n`
        return put(stdout, plainOn(stdout) ? unstyled(whole) : escapeControls(whole))
      }),
    say: (line, at) =>
      Effect.suspend(() => {
        if (events) return Effect.flatMap(Clock.currentTimeMillis, (now) => event(sayAs(line), now))
        noted(line)
        return said(at === undefined ? line : `${timeOfDay(at)}  ${line}`)
      }),
    event: (facts, at) => Effect.suspend(() => event(facts, at)),
    note: (line) => Effect.sync(() => noted(line)),
    logTo: (sink) =>
      Effect.sync(() => {
        log = sink
      }),
    draw: (rows) => Effect.suspend(() => put(stderr, redrawn("", rows)))
  }
}

/** The size of a terminal; undefined if unknown. Terminals without a window, as in some containers, report 0. */
const known = (size: number | undefined): number | undefined => (size === 0 ? undefined : size)

/** Formats an event at a time (milliseconds since the epoch) as a line of JSON. */
export const eventLine = (facts: Readonly<Record<string, unknown>>, at: number): string =>
  JSON.stringify({ at: new Date(at).toISOString(), ...facts })

/** Wraps a message as an event. */
export const sayAs = (message: string) => ({ event: "Said", message })

/** Formats the local time of day, `06:00:00`. */
const timeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 8)

/** The process's screen; with `events`, stderr has only JSON. */
export const processScreen = (events: boolean, shown: (text: string) => string) =>
  Layer.sync(Screen, () => makeScreen(process.stdout, process.stderr, process.env, events, shown))
