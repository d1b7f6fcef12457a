import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { makeScreen, type Stream } from "../../../src/app/terminal/Screen.ts"

/** A terminal emulator that records its output and renders what a person would see; supports rows and erasing. */
const terminal = (size: { readonly columns: number; readonly rows: number } | undefined) => {
  const lines = [""]
  let row = 0
  let whole = ""
  const put = (text: string) => {
    whole += text
    for (const [piece] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|\r|\n|[^\u001b\r\n]+/gu)) {
      if (piece === "\n") {
        row += 1
        lines[row] ??= ""
      } else if (piece === "\r") continue
      else if (piece.endsWith("A") && piece.startsWith("\u001b")) row -= Number(/\d+/u.exec(piece)?.[0] ?? 1)
      else if (piece === "\u001b[2K") lines[row] = ""
      else if (!piece.startsWith("\u001b")) lines[row] += piece
    }
  }
  const stream: Stream = {
    isTTY: size !== undefined,
    columns: size?.columns,
    rows: size?.rows,
    write: (text, done) => {
      put(text)
      done()
    }
  }
  return { stream, seen: () => lines.filter((line) => line !== ""), written: () => whole }
}

const screenOn = (environment: Record<string, string>, size?: { columns: number; rows: number }) => {
  const [stdout, stderr] = [terminal(size), terminal(size)]
  return { screen: makeScreen(stdout.stream, stderr.stream, environment), stdout, stderr }
}

describe("Screen", () => {
  it.effect("takes a size of 0, as of terminals without a window, for an unknown one", () =>
    Effect.gen(function* () {
      const { screen, stderr } = screenOn({}, { columns: 0, rows: 0 })
      expect([screen.columns(), screen.look.columns]).toEqual([80, undefined])
      yield* screen.draw(["a row that is longer than one column"])
      expect(stderr.seen()).toEqual(["a row that is longer than one column"])
    })
  )

  it.effect("prints lines above the drawn rows", () =>
    Effect.gen(function* () {
      const { screen, stderr } = screenOn({}, { columns: 40, rows: 10 })
      yield* screen.draw(["board 1", "lane"])
      yield* screen.say("a warning")
      yield* screen.draw(["board 2", "lane", "job"])
      yield* screen.say("another")
      expect(stderr.seen()).toEqual(["a warning", "another", "board 2", "lane", "job"])
      yield* screen.draw([])
      expect(stderr.seen()).toEqual(["a warning", "another"])
    })
  )

  it.effect("removes secrets from results, lines, events, rows and the log", () =>
    Effect.gen(function* () {
      const [stdout, stderr] = [terminal(undefined), terminal(undefined)]
      const log: Array<string> = []
      const screen = makeScreen(stdout.stream, stderr.stream, {}, false, (text) =>
        text.replaceAll("s3cret", "[KEY]")
      )
      yield* screen.logTo((line) => log.push(line))
      yield* screen.result("a voice s3cret")
      yield* screen.say("a line s3cret")
      yield* screen.event({ message: "s3cret" }, 0)
      yield* screen.note("a note s3cret")
      yield* screen.draw(["a row s3cret"])
      const all = [stdout.written(), stderr.written(), ...log].join()
      expect(all.split("[KEY]").length - 1, all).toBe(7)
      expect(all).not.toContain("s3cret")
    })
  )

  it.effect("draws no more rows than the terminal has", () =>
    Effect.gen(function* () {
      const { screen, stderr } = screenOn({}, { columns: 40, rows: 3 })
      yield* screen.draw(["1", "2", "3", "4", "5"])
      expect(stderr.seen()).toEqual(["1", "2"])
    })
  )

  it.effect("writes results only to stdout, each ending with one line break", () =>
    Effect.gen(function* () {
      const { screen, stdout, stderr } = screenOn({})
      yield* screen.result("one")
      yield* screen.result("two\n")
      expect([stdout.written(), stderr.written()]).toEqual(["one\ntwo\n", ""])
    })
  )

  it.effect("has no colours without a terminal, or with NO_COLOR", () =>
    Effect.gen(function* () {
      const red = "\u001b[31mred\u001b[0m"
      const off = screenOn({})
      yield* off.screen.result(red)
      yield* off.screen.say(red)
      const forbidden = screenOn({ NO_COLOR: "1" }, { columns: 40, rows: 9 })
      yield* forbidden.screen.result(red)
      yield* forbidden.screen.say(red)
      yield* forbidden.screen.draw([red])
      const on = screenOn({}, { columns: 40, rows: 9 })
      yield* on.screen.result(red)
      expect([off.screen.look.colour, forbidden.screen.look.colour, on.screen.look.colour]).toEqual([
        false,
        false,
        true
      ])
      expect([off.stdout.written(), off.stderr.written()]).toEqual(["red\n", "red\n"])
      expect([forbidden.stdout.written(), forbidden.stderr.written()]).toEqual(["red\n", "red\nred\n"])
      expect(on.stdout.written()).toBe(`${red}\n`)
    })
  )

  it.effect("does not draw on a dumb terminal", () =>
    Effect.gen(function* () {
      const { screen } = screenOn({ TERM: "dumb" }, { columns: 40, rows: 9 })
      expect(screen.live).toBe(false)
    })
  )
})
