/** Emphasis marks are removed from words; sounds, arithmetic and names keep their signs. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

/** The result for each cue: its parts, or the reason for skipping it. */
const said = (...texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const srt = texts.map((text, i) => `${i + 1}\n00:00:0${i},000 --> 00:00:0${i},900\n${text}\n`).join("\n")
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(srt), "a.srt"))
  return spokenWords(script, {}, []).cues.map((cue) =>
    "skipped" in cue
      ? `(${cue.skipped})`
      : cue.parts
          .map(({ said, speaker }) => (speaker === undefined ? said : `${speaker}: ${said}`))
          .join(" | ")
  )
}

describe("emphasized words", () => {
  const word = fc.constantFrom("Step", "aside", "naïve", "đi", "渡し場", "don't", "1984", "snake_case")
  const marks = fc.constantFrom("*", "**", "***", "_", "__", "~", "~~", "*_", "_*")
  const closing = (mark: string): string => Array.from(mark).reverse().join("")

  it.prop(
    "lose their marks if they are a whole cue, on one line or several",
    [
      fc.array(word, { minLength: 1, maxLength: 6 }),
      marks,
      fc.constantFrom("", ".", "!", "?", "..."),
      fc.constantFrom(" ", "\n")
    ],
    ([words, mark, end, space]) => {
      expect(said(mark + words.join(space) + end + closing(mark))).toEqual([words.join(" ") + end])
    }
  )

  it.prop(
    "lose their marks within a cue",
    [fc.array(word, { minLength: 1, maxLength: 3 }), marks, fc.constantFrom("", ",", ".")],
    ([words, mark, end]) => {
      expect(said(`Now ${mark}${words.join(" ")}${closing(mark)}${end} I say`)).toEqual([
        `Now ${words.join(" ")}${end} I say`
      ])
    }
  )

  it("are found after labels and dashes, and across turns and cues", () => {
    expect(said("ANNA: *Hello*")).toEqual(["ANNA: Hello"])
    expect(said("*ANNA: Hello*")).toEqual(["ANNA: Hello"])
    expect(said("*- Hello.\n- Hi.*")).toEqual(["Hello. | Hi."])
    expect(said("- *Hello.*\n- _Hi._")).toEqual(["Hello. | Hi."])
    expect(said("*I was walking", "down the street*")).toEqual(["I was walking", "down the street"])
    expect(said("_I was walking", "down the street._")).toEqual(["I was walking", "down the street."])
    expect(said("*Wow* *Wow*")).toEqual(["Wow Wow"])
    expect(said("~ Step aside ~")).toEqual(["Step aside"])
    expect(said("Capas /Layers Panel/.", "/step aside/")).toEqual(["Capas Layers Panel.", "step aside"])
  })
})

describe("signs that are not emphasis", () => {
  it("stay", () => {
    for (const text of [
      ...["2*3*4", "2 * 3 * 4", "2**3**4", "x^3 * x = 100", "a*b*c", "rated 4* hotel", "f*** you"],
      ...["snake_case stays", "my_file_name.txt", "*.txt and *.md", "~5 km to ~10 km", "~/bin and ~/lib"],
      ...["and/or, 1/2, http://a.b/c/d", "/usr/bin/env is", "cd /usr/local/", "Tom/Jerry/Ann", "a_ b_c _d"]
    ])
      expect(said(text)).toEqual([text])
  })

  it("mark sounds, which are not spoken", () => {
    for (const text of ["*coughs*", "*coughs loudly*", "*Coughs.*", "*door\nslams*", "*click*", "*music*"])
      expect(said(text), text).toEqual(["(sound-effect)"])
    expect(said("*sighs* I know", "*cocks gun* Freeze!", "*[door]*")).toEqual([
      "I know",
      "Freeze!",
      "(sound-effect)"
    ])
    expect(said("*I love music!*")).toEqual(["I love music!"])
  })

  it("mark unknown sounds only in a file that puts sounds between stars", () => {
    expect(said("*walks away*")).toEqual(["walks away"])
    expect(said("*coughs*", "*walks away*", "*Stop it!*")).toEqual([
      "(sound-effect)",
      "(sound-effect)",
      "Stop it!"
    ])
    expect(said("*laughs*", "*Now*", "*or never*")).toEqual(["(sound-effect)", "Now", "or never"])
  })
})

describe("plain text", () => {
  it("loses its emphasis marks", () => {
    const text = "It was *late*, and _the day_ was ~over~.\nSnake_case and 2*3*4 stay.\n\nSo it ends.\n"
    const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), "a.txt"))
    expect(
      spokenWords(script, {}, []).cues.map((cue) =>
        "parts" in cue ? cue.parts.map((part) => part.said).join(" ") : cue.skipped
      )
    ).toEqual(["It was late, and the day was over. Snake_case and 2*3*4 stay.", "So it ends."])
  })
})
