/** Progress display of a run: redrawn rows on a terminal, timestamped lines elsewhere, or JSON events. */
import { Clock, Effect, Layer, Schedule, type Scope } from "effect"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"
import { type ProgressModel, emptyProgress, advanceProgress } from "./ProgressModel.ts"
import { type ProgressLine, progressLines, progressRows } from "./ProgressText.ts"
import { Screen } from "./Screen.ts"

export interface WatchOptions {
  readonly quiet: boolean
  readonly verbose: boolean
  readonly events: boolean
}

/** Shows progress until the layer is released. */
export const progressDisplay = (options: WatchOptions): Layer.Layer<Progress, never, Screen> =>
  Layer.scoped(
    Progress,
    Effect.gen(function* () {
      const screen = yield* Screen
      if (options.events) return { emit: (event) => written(screen, event) }
      let board: ProgressModel = emptyProgress(yield* Clock.currentTimeMillis)
      const live = screen.live && !options.quiet
      if (live) yield* drawnOften(screen, () => board)
      return {
        emit: (event) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const before = board
            board = advanceProgress(before, event, now)
            return Effect.forEach(
              progressLines(event, before, board, now),
              (line) => {
                if (isPrinted(line, options, live)) return screen.say(line.text, now)
                return line.weight === "detail" && !options.verbose ? Effect.void : screen.note(line.text)
              },
              { discard: true }
            )
          })
      }
    })
  )

/** Whether a line is printed. A live display already shows the content of ordinary lines. */
const isPrinted = (line: ProgressLine, options: WatchOptions, live: boolean): boolean => {
  switch (line.weight) {
    case "warning":
      return true
    case "usual":
      return !options.quiet && !live
    case "repetition":
    case "detail":
      return options.verbose && !options.quiet
  }
}

const drawnOften = (
  screen: Screen["Type"],
  board: () => ProgressModel
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const draw = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      screen.draw(progressRows(board(), now, screen.columns()))
    )
    yield* Effect.addFinalizer(() => screen.draw([]))
    yield* draw.pipe(Effect.repeat(Schedule.spaced("150 millis")), Effect.forkScoped)
  })

const written = (screen: Screen["Type"], event: ProgressEvent): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { _tag, ...facts } = event
    return screen.event({ event: _tag, ...facts }, now)
  })
