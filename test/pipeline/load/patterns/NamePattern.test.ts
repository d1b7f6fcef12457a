import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { fillNames, globOf, parseNamePattern } from "../../../../src/pipeline/load/patterns/NamePattern.ts"

const valuesOf = (pattern: string, path: string, rules: Readonly<Record<string, string>> = {}) =>
  Either.match(parseNamePattern(pattern, rules), {
    onLeft: (fault) => fault,
    onRight: ({ valuesIn }) => Object.fromEntries(valuesIn(path) ?? [["no", "match"]])
  })

/** Letters, digits and signs of file names, among them those that mean something in globs and expressions. */
const part = fc
  .stringMatching(/^[a-zA-Zảệцß中\d _$^+=-]{1,12}$/u)
  .map((text) => text.normalize("NFC"))
  .filter((text) => text.trim() === text && text !== "")

describe("patterns with names", () => {
  it.prop(
    "find the values with which a pattern was filled",
    [part, part, fc.constantFrom("vi", "en", "pt-BR", "zh_Hant")],
    ([show, episode, language]) => {
      const pattern = `subs/{show}/{episode}.{language}.srt`
      const values = new Map([
        ["show", show],
        ["episode", episode],
        ["language", language]
      ])
      const path = Either.getOrThrow(fillNames(pattern, values))
      expect(valuesOf(pattern, path)).toEqual({ show, episode, language })
    }
  )

  it("match as much as possible for an earlier name, but only a tag for a language", () => {
    expect(valuesOf("{episode}.{language}.srt", "Show.S01E02.part.vi.srt")).toEqual({
      episode: "Show.S01E02.part",
      language: "vi"
    })
    expect(valuesOf("{show}-{part}.srt", "a-b-c.srt")).toEqual({ show: "a-b", part: "c" })
  })

  it("keep a name within one part of the path", () => {
    expect(valuesOf("{episode}.srt", "more/S01.srt")).toEqual({ no: "match" })
  })

  it("require the same text for every use of a name", () => {
    expect(valuesOf("{show}/{show}.{episode}.srt", "lake/lake.E1.srt")).toEqual({
      show: "lake",
      episode: "E1"
    })
    expect(valuesOf("{show}/{show}.{episode}.srt", "lake/hill.E1.srt")).toEqual({ no: "match" })
  })

  it("mix with globs, and follow rules", () => {
    const rules = { episode: "S\\d+E\\d+" }
    expect(globOf("**/{episode}.*.{language}.srt")).toBe("**/*.*.*.srt")
    expect(valuesOf("**/{episode}.*.{language}.srt", "a/b/S01E02.web.vi.srt", rules)).toEqual({
      episode: "S01E02",
      language: "vi"
    })
    expect(valuesOf("{episode}.srt", "extras.srt", rules)).toEqual({ no: "match" })
    expect(valuesOf("{lines}.{srt,vtt}", "a.vtt")).toEqual({ lines: "a" })
  })

  it("match names that differ only in Unicode normalization", () => {
    expect(valuesOf("tập {episode}.srt".normalize("NFC"), "tập 1.srt".normalize("NFD"))).toEqual({
      episode: "1"
    })
  })

  it.each([
    ["(", "(: not a regular expression; check its brackets and backslashes"],
    ["(?<b>x)", "(?<b>x): named groups and back-references are not supported"],
    ["(x)\\1", "(x)\\1: named groups and back-references are not supported"]
  ])("refuse the rule %s", (rule, fault) => {
    expect(valuesOf("{a}.srt", "x.srt", { a: rule })).toBe(`match.a: ${fault}`)
  })

  it("name an unknown name and the nearest known one", () => {
    const values = new Map([
      ["episode", "E1"],
      ["language", "vi"]
    ])
    expect(fillNames("{epsode}-{language}", values)).toEqual(
      Either.left(
        "{epsode}-{language}: input has no {epsode}; did you mean {episode}? (its names: {episode}, {language})"
      )
    )
  })
})
