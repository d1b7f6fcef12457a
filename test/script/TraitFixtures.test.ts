/** Reads every subtitle in `fixtures/subtitles` and compares it with the words and times that a dub needs. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { TextSettings } from "../../src/domain/manifest/ScriptSettings.ts"
import type { Script } from "../../src/domain/speech/Cue.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"

const root = join(import.meta.dirname, "../../fixtures/subtitles")

const { Array: Rows, Int, String: Text } = Schema

const Speaker = Schema.optionalElement(Text)

/** One file's entry; `fixtures/subtitles/README.md` says what each key holds. */
const Expectation = Schema.Union(
  Schema.Struct({ refused: Rows(Text) }),
  Schema.Struct({
    settings: Schema.optional(TextSettings),
    cues: Schema.optional(Rows(Schema.Tuple(Int, Int, Int, Text, Speaker))),
    blocks: Schema.optional(Rows(Schema.Tuple(Text, Speaker))),
    said: Schema.optional(Rows(Schema.Union(Text, Rows(Text)))),
    notices: Schema.optional(Rows(Int))
  })
)
type Expectation = typeof Expectation.Type

const Expectations = Schema.parseJson(Schema.Record({ key: Text, value: Expectation }))

const expectations = Schema.decodeSync(Expectations, { onExcessProperty: "error" })(
  readFileSync(join(root, "expected.json"), "utf8")
)

const fixtures = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(join(root, name)).map((file) => `${name}/${file}`))

const named = (speaker: string | undefined, words: string): string =>
  speaker === undefined ? words : `${speaker}> ${words}`

const optional = (speaker: string | undefined): ReadonlyArray<string> =>
  speaker === undefined ? [] : [speaker]

/** The part of a script that shows its format: cues of a subtitle, blocks of a text without times. */
const contents = (script: Script) =>
  script._tag === "Subtitle"
    ? {
        cues: script.cues.map(({ index, start, end, text, speaker }) => [
          index,
          start,
          end,
          text,
          ...optional(speaker)
        ])
      }
    : { blocks: script.blocks.map(({ text, speaker }) => [text, ...optional(speaker)]) }

/** The program's result for a file, in the shape of `expected.json`. */
const read = (file: string, settings: TextSettings) => {
  const script = readScript(readFileSync(join(root, file)), basename(file))
  if (Either.isLeft(script)) return { refused: script.left.message.split("\n") }
  const words = spokenWords(script.right, settings, [])
  return {
    ...contents(script.right),
    said: words.cues.map((cue) =>
      "skipped" in cue ? cue.skipped : cue.parts.map(({ speaker, said }) => named(speaker, said))
    ),
    notices: [...script.right.notices, ...words.notices].map(({ line }) => line)
  }
}

/** An entry with its defaults: each cue is said as it is written, and there are no notices. */
const whole = (expected: Expectation) => {
  if ("refused" in expected) return expected
  const { settings: _settings, cues = [], ...given } = expected
  return {
    ...(expected.cues === undefined ? {} : { cues }),
    said: cues.map(([, , , text, speaker]) => [named(speaker, text.replace(/\s+/gu, " "))]),
    notices: [],
    ...given
  }
}

describe("fixtures/subtitles", () => {
  it("has an expectation for every file, and a file for every expectation", () => {
    expect(fixtures.toSorted()).toEqual(Object.keys(expectations).toSorted())
  })

  for (const [file, expected] of Object.entries(expectations))
    it(file, () => {
      const settings = "refused" in expected ? {} : (expected.settings ?? {})
      expect(read(file, settings)).toEqual(whole(expected))
    })
})
