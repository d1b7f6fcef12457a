import { it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { describe, expect } from "vitest"
import { Screen } from "../../../src/app/terminal/Screen.ts"
import { type WatchOptions, progressDisplay } from "../../../src/app/terminal/ProgressDisplay.ts"
import { ProviderId, UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { Progress, type ProgressEvent } from "../../../src/pipeline/Progress.ts"

const provider = ProviderId.make("provider_fast")
const utterance = UtteranceKey.make("ab".repeat(32))
const events: ReadonlyArray<ProgressEvent> = [
  { _tag: "Planned", jobs: 1, utterances: 2, characters: 30, reused: 0 },
  { _tag: "Submitted", provider, utterance, characters: 15 },
  { _tag: "Warning", message: "labels are not echoed" },
  { _tag: "Spoken", provider, utterance, seconds: 1 }
]

/** Returns the lines printed, and the rows last drawn, for these events. */
const shown = (options: Partial<WatchOptions>, live: boolean) =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const noted: Array<string> = []
    const drawn: Array<ReadonlyArray<string>> = []
    const screen = Layer.succeed(Screen, {
      live,
      look: { colour: false, columns: undefined },
      columns: () => 80,
      result: () => Effect.dieMessage("progress must not go to stdout"),
      say: (line) => Effect.sync(() => void said.push(line)),
      event: (facts, at) =>
        Effect.sync(() => void said.push(JSON.stringify({ at: new Date(at).toISOString(), ...facts }))),
      note: (line) => Effect.sync(() => void noted.push(line)),
      logTo: () => Effect.void,
      draw: (rows) => Effect.sync(() => void drawn.push(rows))
    })
    yield* Effect.gen(function* () {
      const progress = yield* Progress
      yield* Effect.forEach(events, progress.emit)
      yield* TestClock.adjust("1 second")
    }).pipe(
      Effect.provide(
        Layer.provide(progressDisplay({ quiet: false, verbose: false, events: false, ...options }), screen)
      )
    )
    return { said, noted, drawn }
  })

describe("the progress display", () => {
  it.effect("without a terminal, prints lines for what matters", () =>
    Effect.gen(function* () {
      expect(yield* shown({}, false)).toEqual({
        said: [
          "1 job, 2 utterances, 30 characters to speak",
          "labels are not echoed",
          "1 of 2 spoken (50 %)"
        ],
        noted: [],
        drawn: []
      })
    })
  )

  it.effect("prints only warnings if quiet, each step if verbose", () =>
    Effect.gen(function* () {
      expect((yield* shown({ quiet: true }, true)).said).toEqual(["labels are not echoed"])
      expect((yield* shown({ verbose: true }, false)).said).toContain(
        "provider_fast: sent abababab, 15 characters"
      )
    })
  )

  it.effect("on a terminal, draws rows with warnings above, and erases them at the end", () =>
    Effect.gen(function* () {
      const { said, noted, drawn } = yield* shown({}, true)
      expect(said).toEqual(["labels are not echoed"])
      expect(noted, "the log has what the rows show").toContain("1 of 2 spoken (50 %)")
      expect(drawn.at(-2)?.join("\n")).toContain("1 of 2 spoken")
      expect(drawn.at(-1)).toEqual([])
    })
  )

  it.effect("as JSON, prints every event with its time", () =>
    Effect.gen(function* () {
      const { said } = yield* shown({ events: true }, true)
      expect(said.map((line) => JSON.parse(line))).toEqual(
        events.map(({ _tag, ...facts }) => ({ at: "1970-01-01T00:00:00.000Z", event: _tag, ...facts }))
      )
    })
  )
})
