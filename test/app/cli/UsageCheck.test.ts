import { Args, Command, Options } from "@effect/cli"
import { Effect, Either } from "effect"
import { describe, expect, test } from "vitest"
import { findCommand, checkOptions, shapeOf } from "../../../src/app/cli/UsageCheck.ts"

const leaf = Command.make(
  "run",
  { files: Args.text(), json: Options.boolean("json"), out: Options.optional(Options.text("out")) },
  () => Effect.void
)
const below = Command.make("create", {}, () => Effect.void)
const root = shapeOf(Command.make("tool"), [shapeOf(leaf), shapeOf(Command.make("keys"), [shapeOf(below)])])

const refusalOf = (...words: ReadonlyArray<string>) =>
  findCommand(root, words).pipe(
    Either.flatMap((path) => checkOptions(path, words.slice(path.length - 1))),
    Either.match({ onLeft: ({ message }) => message, onRight: () => undefined })
  )

describe("the command line check", () => {
  test.each([
    [["run", "a", "--json", "--out", "x"]],
    [["run", "--out=x", "a"]],
    [["run", "a", "--", "--anything"]],
    [["run", "--help"]],
    [["run", "-h"]],
    [["keys", "create"]],
    [["--completions", "bash"]],
    [[]]
  ])("accepts %j", (words) => {
    expect(refusalOf(...words)).toBeUndefined()
  })

  test.each([
    [["rnu"], 'unknown command "rnu"; did you mean run? (tool --help lists all)'],
    [["keys", "crate"], 'unknown command "crate"; did you mean create? (tool keys --help lists all)'],
    [["entirely"], 'unknown command "entirely" (tool --help lists all)'],
    [["run", "a", "--oot", "x"], "unknown option --oot; did you mean --out? (tool run --help lists all)"],
    [["run", "-x"], "unknown option -x; did you mean -h? (tool run --help lists all)"],
    [["run", "a", "--out"], "expected a value after --out, found nothing (tool run --help lists all)"],
    [["run", "--out", "--json"], "expected a value after --out, found --json (tool run --help lists all)"],
    [["run", "--json", "--json"], "--json is given twice; give it once (tool run --help lists all)"]
  ])("rejects %j", (words, message) => {
    expect(refusalOf(...words)).toBe(message)
  })
})
