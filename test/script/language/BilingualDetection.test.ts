import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { Subtitle } from "../../../src/domain/speech/Cue.ts"
import { bilingualFileOf } from "../../../src/script/language/BilingualDetection.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"
import { corpusFile, hasCorpus, realFiles } from "../corpus.ts"

/** Parses a subtitle file. */
const read = (name: string, bytes: Uint8Array): Subtitle => {
  const script = Either.getOrThrow(readScript(bytes, name))
  if (script._tag === "Narration") throw new Error(`${name} is no subtitle`)
  return script
}

/** The cues of an SRT file with these texts. */
const cuesOf = (texts: ReadonlyArray<string>) =>
  read(
    "film.srt",
    Buffer.from(texts.map((text, i) => `${i + 1}\n00:00:0${i % 9},0 --> 00:00:09,0\n${text}\n`).join("\n"))
  ).cues

const english = [
  "What are you going to do with that?",
  "I don't know. There was nothing to say.",
  "We have to be there for the others.",
  "It was not the way that I wanted it.",
  "And you can see that we are not alone.",
  "This is what they have for you.",
  "There is nothing that you can do with it.",
  "You have to be with them.",
  "What was that for?",
  "We are not there and it is not this."
]
const french = [
  "Qu'est-ce que vous allez faire avec ça ?",
  "Je ne sais pas. Il y avait une chose dans la nuit.",
  "Nous devons être là pour les autres.",
  "Ce n'est pas comme ça que je le voulais, mais c'est cette fois.",
  "Et vous voyez que nous ne sommes pas dans une cave.",
  "C'est ce qui est pour vous, mais pas pour elle.",
  "Il est avec vous et je suis dans la rue.",
  "Vous devez être avec eux, pas sur le toit.",
  "Pour qui est cette chose ?",
  "Nous ne sommes pas là et ce n'est pas une fin."
]
const both = (above: ReadonlyArray<string>, below: ReadonlyArray<string>) =>
  above.map((text, i) => `${text}\n${below[i]}`)

/** An ASS file with events in the given styles. */
const ass = (events: ReadonlyArray<readonly [time: number, style: string, text: string]>): Subtitle =>
  read(
    "film.ass",
    Buffer.from(
      "[Script Info]\n\n[Events]\n" +
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
        events
          .map(
            ([time, style, text]) =>
              `Dialogue: 0,0:00:${`${time}`.padStart(2, "0")}.00,0:00:${`${time + 2}`.padStart(2, "0")}.00,${style},,0,0,0,,${text}\n`
          )
          .join("")
    )
  )

describe("a subtitle in two languages", () => {
  it("is detected and named if both share a script", () => {
    expect(bilingualFileOf(cuesOf(both(french, english)))).toEqual({
      names: { first: "French", second: "English" },
      styles: undefined,
      both: 10,
      cues: 10,
      sure: true
    })
  })

  it("is doubtful if most cues are in one language, and not detected if few are in both", () => {
    const some = both(english, french)
    const others = Array.from({ length: 12 }, () => "What are you going to do?")
    expect(bilingualFileOf(cuesOf([...some, ...others]))).toMatchObject({ both: 10, cues: 22, sure: false })
    expect(bilingualFileOf(cuesOf([...some.slice(0, 4), ...others]))).toBeUndefined()
  })

  it("is not detected for two speakers, broken lines, songs, or quoted words", () => {
    expect(bilingualFileOf(cuesOf(english.map((text) => `- ${text}\n- What is it?`)))).toBeUndefined()
    expect(bilingualFileOf(cuesOf(both(english, english)))).toBeUndefined()
    expect(bilingualFileOf(cuesOf(french.map((text) => text.replace(" ", "\n"))))).toBeUndefined()
    expect(bilingualFileOf(cuesOf(english.map((text) => `♪ ${text}\n${text} ♪`)))).toBeUndefined()
    const quotes = ["他说\nHello", "我不知道", "再见", "是的", "我们走吧", "好的", "你在哪里", "这是什么"]
    expect(bilingualFileOf(cuesOf([...quotes, ...quotes, ...quotes]))).toBeUndefined()
  })

  it("may have each language in its own ASS style, selected by bilingual or styles", () => {
    const script = ass([
      ...english.flatMap(
        (text, i) =>
          [
            [i * 3, "Top", french[i] ?? ""],
            [i * 3, "Bottom", text.replace(" ", "\\N")]
          ] as const
      ),
      [40, "Sign", "EXIT"],
      [44, "Bottom", "You are alone."]
    ])
    expect(bilingualFileOf(script.cues)).toEqual({
      names: { first: "French", second: "English" },
      styles: { first: "Top", second: "Bottom" },
      both: 10,
      cues: 12,
      sure: true
    })
    const said = (text: Parameters<typeof spokenWords>[1]) =>
      spokenWords(script, text, []).cues.flatMap((cue) =>
        "parts" in cue ? cue.parts.map((part) => part.said) : []
      )
    expect(said({ bilingual: "second" })).toEqual([...english, "EXIT", "You are alone."])
    expect(said({ bilingual: "first" })).toHaveLength(11)
    expect(said({ bilingual: "first" }).slice(-1)).toEqual(["EXIT"])
    expect(said({ styles: { only: ["bottom"] } })).toEqual([...english, "You are alone."])
    expect(said({ styles: { skip: ["Top", "Sign"] } })).toEqual([...english, "You are alone."])
    expect(said({})).toHaveLength(22)
    expect(
      spokenWords(script, { styles: { skip: ["Tops"] } }, []).notices.map(({ message }) => message)
    ).toEqual([
      'text.styles: no event has the style "Tops"; did you mean "Top"? (the file uses Top, Bottom, Sign)'
    ])
    expect(spokenWords(script, { styles: { only: ["Bottom"] } }, []).cues[0]).toMatchObject({
      skipped: "excluded"
    })
  })

  it("counts one text in two styles as one language", () => {
    const layers = english.flatMap(
      (text, i) =>
        [
          [i * 3, "Fill", text],
          [i * 3, "Border", text]
        ] as const
    )
    expect(bilingualFileOf(ass(layers).cues)).toBeUndefined()
  })

  it.skipIf(!hasCorpus)("is detected in every real bilingual file, and in no other", () => {
    const found = realFiles().flatMap(({ path }) => {
      const script = Either.getOrUndefined(readScript(corpusFile(path), path))
      const file = script?._tag === "Subtitle" ? bilingualFileOf(script.cues) : undefined
      return file === undefined ? [] : [{ path, sure: file.sure, names: file.names }]
    })
    expect(found.every(({ path }) => /zh\/hf-course/u.test(path))).toBe(true)
    expect(found).toHaveLength(12)
    for (const { names, sure } of found)
      expect({ names, sure }).toEqual({ names: { first: "Chinese", second: "English" }, sure: true })
  })
})
