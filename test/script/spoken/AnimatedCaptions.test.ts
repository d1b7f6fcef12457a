import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

const clock = (time: number): string =>
  `0:00:${String(Math.floor(time / 1000)).padStart(2, "0")}.${String((time % 1000) / 10).padStart(2, "0")}`

const event = (start: number, end: number, text: string, layer = 0): string =>
  `Dialogue: ${layer},${clock(start)},${clock(end)},Sign,,0,0,0,,${text}`

const assOf = (events: ReadonlyArray<string>): string =>
  [
    "[Events]",
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
    ...events
  ].join("\n")

/** The words that are spoken, with the time of each in milliseconds. */
const spoken = (events: ReadonlyArray<string>): ReadonlyArray<readonly [number, number, string]> => {
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(assOf(events)), "a.ass"))
  return spokenWords(script, {}, []).cues.flatMap((cue) =>
    "parts" in cue ? cue.parts.map(({ slot, said }) => [slot?.start ?? 0, slot?.end ?? 0, said] as const) : []
  )
}

const sign = "OLD HARBOUR"
const letters = Array.from(sign)
/** One event per frame of 40 ms, from 4 s on. */
const framesOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.map((text, i) => event(4000 + i * 40, 4040 + i * 40, text))

describe("an animated text", () => {
  const cases: Readonly<Record<string, readonly [events: ReadonlyArray<string>, end: number]>> = {
    "moved frame by frame": [framesOf(letters.map((_, i) => `{\\pos(${i},1)}${sign}`)), 4440],
    "faded in and out": [
      [...framesOf([sign, sign]), event(4080, 6000, sign), event(6000, 6040, sign), event(6050, 6090, sign)],
      6090
    ],
    typed: [
      [...framesOf(letters.map((_, i) => letters.slice(0, i + 1).join(""))), event(4440, 6000, sign)],
      6000
    ],
    "typed and taken away": [
      framesOf([..."123", ..."21"].map((count) => `${sign}${"!?.".slice(0, Number(count))}`)),
      4200
    ],
    "typed by transparency": [
      framesOf(letters.map((_, i) => `${sign.slice(0, i + 1)}{\\alpha&HFF&}${sign.slice(i + 1)}`)),
      4440
    ],
    "set letter by letter": [
      letters.map((letter, i) => event(4000 + i * 40, 6000, `{\\pos(${i * 20},1)}${letter}`)),
      6000
    ],
    "set letter by letter on two layers": [
      letters.flatMap((letter, i) => [0, 1].map((layer) => event(4000 + i * 40, 6000, letter, layer))),
      6000
    ],
    "set letter by letter in every frame": [
      [0, 40, 80].flatMap((at) => letters.map((letter) => event(4000 + at, 4040 + at, letter))),
      4120
    ]
  }
  for (const [what, [events, end]] of Object.entries(cases))
    it(`is spoken once, in the time of all its events: ${what}`, () => {
      const [found, ...others] = spoken([
        ...events,
        event(4000, 5000, "Look at that sign."),
        event(8000, 9000, "And on.")
      ])
      expect([found?.[0], found?.[1], found?.[2]?.replace(/\W+$/u, "")]).toEqual([4000, end, sign])
      expect(others).toEqual([
        [4000, 5000, "Look at that sign."],
        [8000, 9000, "And on."]
      ])
    })

  it("that counts is spoken once", () => {
    for (const [of, said] of [
      [(i: number) => `${i * 10} %`, "100 %"],
      [(i: number) => `00:${59 - i}`, "00:59"]
    ] as const)
      expect(
        spoken([...framesOf(Array.from({ length: 11 }, (_, i) => of(i))), event(5000, 6000, "Go.")])
      ).toEqual([
        [4000, 4440, said],
        [5000, 6000, "Go."]
      ])
    const years = ["In 1990.", "In 1991.", "In 1992."]
    expect(
      spoken(years.map((text, i) => event(i * 900, i * 900 + 900, text))).map(([, , said]) => said)
    ).toEqual(years)
  })

  it("is distinguished from short words, and from letters said one after the other", () => {
    const words = "I is this a an day".split(" ")
    expect(spoken(framesOf(words)).map(([, , said]) => said)).toEqual(words)
    const twice = "no no I said that that is very very bad".split(" ")
    expect(
      spoken(twice.map((said, i) => event(i * 220, i * 220 + 200, said))).map(([, , said]) => said)
    ).toEqual(twice)
    const alphabet = ["A", "B", "C", "No.", "No."]
    expect(
      spoken(alphabet.map((said, i) => event(i * 1000, i * 1000 + 1000, said))).map(([, , said]) => said)
    ).toEqual(alphabet)
  })
})

describe("a text whose words are highlighted in turn, one cue for each", () => {
  const highlighted = (text: string, start: number, length: number) =>
    text
      .split(" ")
      .map((_, at, words) =>
        event(
          start + at * length,
          start + at * length + length,
          words.with(at, `<u>${words[at] ?? ""}</u>`).join(" ")
        )
      )

  it("is spoken once, in the time of all its cues", () => {
    expect(
      spoken([...highlighted("Ask what you can do", 1000, 400), ...highlighted("for the harbour", 4000, 300)])
    ).toEqual([
      [1000, 3000, "Ask what you can do"],
      [4000, 4900, "for the harbour"]
    ])
  })

  it("is distinguished from a sentence that is said twice", () => {
    const said = [event(1000, 3000, "You will see!"), event(3150, 4000, "You will see...")]
    expect(spoken(said).map(([, , text]) => text)).toEqual(["You will see!", "You will see..."])
    const long = "We really ought to leave this old house tonight, and drive to the coast."
    const hurried = [event(1000, 2800, long), event(3000, 4800, long)]
    expect(spoken(hurried).map(([, , text]) => text)).toEqual([long, long])
  })
})

describe("an ASS event", () => {
  it("is read without drawings, transparent words and escapes, also if its layer is missing", () => {
    const texts = {
      "m 0 0 l 100 0 100 100 b 1 2.5 -3 4 5 6 c": [],
      "{\\pos(1,2)}M 1 2 L 3 4": [],
      "m 0 0 l 5 5{\\p0}Harbour": ["Harbour"],
      "m 7, that is the road.": ["m 7, that is the road."],
      "m 5 km to go": ["m 5 km to go"],
      "{\\alpha&HFF&}hidden{\\alpha&H00&}Shown.": ["Shown."],
      "{\\alpha&HFF&\\t(0,300,\\alpha&H00&)}Faded in.": ["Faded in."],
      "I\\h\\hneed\\hspace, really.\\n\\N": ["I need space, really."],
      "\\{Braces\\} shown {and not}, \\{ open": ["Braces shown, open"],
      "\\{voice: x\\} kept {say: Said}": ["Said"]
    }
    for (const [text, said] of Object.entries(texts))
      expect(
        spoken([event(1000, 2000, text)]).map(([, , found]) => found),
        text
      ).toEqual(said)
    expect(
      spoken([
        "Dialogue: 0:00:01.00,0:00:02.00,Sign,,0,0,0,,No layer.",
        "Dialogue: 0,0,0:00:02:00,0:00:02:50,Sign,,0,0,0,,Two of them."
      ])
    ).toEqual([
      [1000, 2000, "No layer."],
      [2000, 2500, "Two of them."]
    ])
  })
})
