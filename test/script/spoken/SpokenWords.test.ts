import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { Block, Cue, Narration, Subtitle, Turn } from "../../../src/domain/speech/Cue.ts"
import { SpeakerName } from "../../../src/domain/values/Ids.ts"
import type { TextSettings } from "../../../src/domain/manifest/ScriptSettings.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { lexiconOf } from "../../../src/script/spoken/Lexicon.ts"
import { spokenWords, type WordsContext } from "../../../src/script/spoken/SpokenWords.ts"
import { corpusFile, hasCorpus } from "../corpus.ts"

/** Cues of two seconds, one second apart. */
const subtitle = (texts: ReadonlyArray<string>, speakers: ReadonlyArray<string | undefined> = []): Subtitle =>
  Subtitle.make({
    format: "srt",
    notices: [],
    cues: texts.map((text, i) => {
      const speaker = speakers[i]
      return Cue.make({
        index: i + 1,
        start: millis(i * 3000),
        end: millis(i * 3000 + 2000),
        text,
        line: i * 4 + 2,
        ...(speaker === undefined ? {} : { speaker: SpeakerName.make(speaker) })
      })
    })
  })

/** The result for each cue: "SPEAKER> words" per part, or the reason for skipping it. */
const said = (texts: ReadonlyArray<string>, settings: TextSettings = {}, context: WordsContext = {}) =>
  spokenWords(subtitle(texts), settings, [], context).cues.map((cue) =>
    "skipped" in cue
      ? cue.skipped
      : cue.parts.map((part) => (part.speaker === undefined ? part.said : `${part.speaker}> ${part.said}`))
  )

/** The result for a single cue. */
const one = (text: string, settings: TextSettings = {}, context: WordsContext = {}) =>
  said([text, "Something else entirely."], settings, context)[0]

describe("sound notes", () => {
  it("are not spoken if they are alone, before or after words, or name a sound", () => {
    expect(one("[door slams]")).toBe("sound-effect")
    expect(one("(laughs)")).toBe("sound-effect")
    expect(one("( clock ticking )")).toBe("sound-effect")
    expect(one("*contactor thud*")).toBe("sound-effect")
    expect(one("（笑声）")).toBe("sound-effect")
    expect(one("[tiếng sóng vỗ]")).toBe("sound-effect")
    expect(one("[sighs] All right.")).toEqual(["All right."])
    expect(one("(noise) Hello")).toEqual(["Hello"])
    expect(one("All right. [chuckles]")).toEqual(["All right."])
    expect(one("and my body does too [laughs]!")).toEqual(["and my body does too!"])
    expect(one("I heard\n(computer playing\nelectronic melody)\nnothing.")).toEqual(["I heard nothing."])
    expect(one("<LAUGHING AND SHOUTING>")).toBe("sound-effect")
    expect(one("<Ring the bell> said the sign.")).toEqual(["Ring the bell said the sign."])
    expect(one("- He's got it.\n- (gasps) What?")).toEqual(["He's got it.", "What?"])
    expect(one("* Spannende Musik *")).toBe("sound-effect")
    expect(one("- * Das Telefon\nklingelt. *\n- Ja?")).toEqual(["Ja?"])
    expect(one("[Maria, in English] Hello.")).toEqual(["Hello."])
    expect(one("[To Maria] Hello.")).toEqual(["Hello."])
    expect(one("*cocks gun* Freeze!")).toEqual(["Freeze!"])
    expect(said(["[BOTH LAUGH]", "Right."])).toEqual(["sound-effect", ["Right."]])
    expect(one("漢字(かんじ)を読む")).toEqual(["漢字を読む"])
  })

  it("are distinguished from bracketed words that belong to the sentence", () => {
    expect(one("ten to the 77th [power], they [are] told")).toEqual(["ten to the 77th power, they are told"])
    expect(one("It is not quite right. [balance].")).toEqual(["It is not quite right. balance."])
    expect(one("[meritorious] --")).toEqual(["meritorious —"])
    expect(one("I *really* mean it")).toEqual(["I really mean it"])
    expect(one("we add the [CLS] and [SEP] tokens")).toEqual(["we add the CLS and SEP tokens"])
    expect(one("the Guidelines (WCAG) say so")).toEqual(["the Guidelines (WCAG) say so"])
    expect(one("(which happens to be what I talk about today)")).toEqual([
      "(which happens to be what I talk about today)"
    ])
    expect(one("call loss.backward() and a[0]")).toEqual(["call loss.backward() and a[0]"])
    expect(one("and it goes\n(mostly)\nuphill")).toEqual(["and it goes (mostly) uphill"])
  })

  it("are spoken if the manifest says so", () => {
    expect(one("[sighs] All right.", { soundEffects: "speak" })).toEqual(["sighs All right."])
  })
})

describe("music", () => {
  it("is not spoken between notes, after one or before one", () => {
    expect(one("♪ By the river ♪")).toBe("music")
    expect(one("♪ By the river\nwe lay ♪")).toBe("music")
    expect(one("we lay down ♪")).toBe("music")
    expect(one("# By the river #")).toBe("music")
    expect(one("# By the river\n# we lay #")).toBe("music")
    expect(one("Listen.\n♪ By the river ♪\nHow sad.")).toEqual(["Listen. How sad."])
    expect(one("- ♪ By the river ♪\n- How sad.")).toEqual(["How sad."])
    expect(one("¶ By the river\nwe lay ¶")).toBe("music")
    expect(one("¶ By the river ¶\n- How sad.")).toEqual(["How sad."])
    expect(one("¶ 4 of the law ¶ 5 of it")).toEqual(["¶ 4 of the law ¶ 5 of it"])
  })

  it("is spoken if the manifest says so, and number signs are not music", () => {
    expect(one("♪ By the river ♪", { music: "speak" })).toEqual(["By the river"])
    expect(one("#2: Getting started")).toEqual(["#2: Getting started"])
    expect(one("in C# and F#")).toEqual(["in C# and F#"])
  })
})

describe("speakers", () => {
  it("of several words, each named once, are recognized in a file that labels most lines", () => {
    const lines = [
      "HERR BAUER: She knows.",
      "MME DURAND: Who was it?",
      "THE OLD KING: Nobody.",
      "Silence fell."
    ]
    expect(said(lines)).toEqual([
      ["HERR BAUER> She knows."],
      ["MME DURAND> Who was it?"],
      ["THE OLD KING> Nobody."],
      ["Silence fell."]
    ])
    expect(said(["NOTE TO SELF: wait.", "Come.", "Go.", "Why?"])[0]).toEqual(["NOTE TO SELF: wait."])
  })

  it("are recognized by labels of every kind", () => {
    expect(one("ANNA: Hello.")).toEqual(["ANNA> Hello."])
    expect(one("MAN 2:\nWhen we think\nof it")).toEqual(["MAN 2> When we think of it"])
    expect(one("MAN #2: Hello.")).toEqual(["MAN #2> Hello."])
    expect(one("2ND MAN: Hello.")).toEqual(["2ND MAN> Hello."])
    expect(one("Old Man: Hello.")).toEqual(["Old Man> Hello."])
    expect(one("女声：你好")).toEqual(["女声> 你好"])
    expect(one("【旁白】从前")).toEqual(["旁白> 从前"])
    expect(one("DR. SMITH (on radio): Hello.")).toEqual(["DR. SMITH> Hello."])
    expect(one("[SPEAKER_01]: Hello.")).toEqual(["SPEAKER_01> Hello."])
    expect(one("[SPEAKER_01] Hello.")).toEqual(["SPEAKER_01> Hello."])
    expect(one("[narrator] Once upon a time")).toEqual(["narrator> Once upon a time"])
    expect(one("(MAN): Hello.")).toEqual(["MAN> Hello."])
    expect(one("Man over P.A.:\nGive it back.")).toEqual(["Man over P.A.> Give it back."])
    expect(one(">> JORGE FERNANDES:\nSorry.")).toEqual(["JORGE FERNANDES> Sorry."])
    expect(one("Anna: Hello.", {}, { speakers: ["ANNA"] })).toEqual(["ANNA> Hello."])
  })

  it("in brackets are recognized if two others are confirmed, and sounds are not", () => {
    const known = ["[Anna] One.", "[Bo] Two.", "[Anna] Three.", "[Bo] Four."]
    expect(said([...known, "[Maria] Come.", "[block] By block.", "[Laughs] No."]).slice(4)).toEqual([
      ["Maria> Come."],
      ["By block."],
      ["No."]
    ])
    expect(said(["[Maria] Come.", "Something else entirely."])[0]).toEqual(["Maria Come."])
  })

  it("are distinguished from other words before a colon", () => {
    for (const text of [
      "Note: this is said.",
      "WARNING: wet floor.",
      "At 10:30 we leave.",
      "Remember: never again.",
      "GENERAL DISCLAIMER: All of it.",
      "Part 2: The return",
      "See https://example.org/a:b now.",
      "And he said:\nGo away.",
      "Mark 3:16 is short."
    ])
      expect(one(text), text).toEqual([text.replace("\n", " ")])
    expect(
      said(["Access: it is about people.", "Access: it is about people.", "Access: It is about people!"])
    ).toEqual([
      ["Access: it is about people."],
      ["Access: it is about people."],
      ["Access: It is about people!"]
    ])
  })

  it("with names in lower case are confirmed if they recur with other words", () => {
    const texts = ["Anna: Hello there.", "Bo: Good evening.", "Anna: It is late.", "Bo: It is not."]
    expect(said(texts)).toEqual([
      ["Anna> Hello there."],
      ["Bo> Good evening."],
      ["Anna> It is late."],
      ["Bo> It is not."]
    ])
    expect(said(["小明：你好。", "小红：再见。", "小明：等等我。", "小红：快点。"])).toEqual([
      ["小明> 你好。"],
      ["小红> 再见。"],
      ["小明> 等等我。"],
      ["小红> 快点。"]
    ])
  })

  it("split a cue's time by the length of their words", () => {
    const { cues } = spokenWords(
      subtitle(["- Hello there.\n- BO: Good evening to you all, and welcome."]),
      {},
      []
    )
    const parts = cues.flatMap((cue) => ("parts" in cue ? cue.parts : []))
    expect(parts.map((part) => [part.part, part.speaker, part.said])).toEqual([
      [0, undefined, "Hello there."],
      [1, "BO", "Good evening to you all, and welcome."]
    ])
    expect(parts[0]?.slot?.start).toBe(0)
    expect(parts[1]?.slot?.end).toBe(2000)
    expect(parts[0]?.slot?.end).toBe(parts[1]?.slot?.start)
    expect(parts[0]?.slot?.end).toBeLessThan(900)
  })

  it("change at dashes, arrows and names within a cue", () => {
    expect(one("Why?\n- Now!")).toEqual(["Why?", "Now!"])
    expect(one("– Kommer du?\n– Ja.")).toEqual(["Kommer du?", "Ja."])
    expect(one("- You think so? - I do.")).toEqual(["You think so?", "I do."])
    expect(one("Good night. >> And welcome back.")).toEqual(["Good night.", "And welcome back."])
    expect(one("COP 1: Call it in. COP 4: Get him out.")).toEqual([
      "COP 1> Call it in.",
      "COP 4> Get him out."
    ])
    expect(one("- MRS. TRYON: Mr. Wylie!\n- Yes?")).toEqual(["MRS. TRYON> Mr. Wylie!", "Yes?"])
    expect(one("- only one of them")).toEqual(["only one of them"])
    expect(one("in the community\n- faculty, staff, vendors.")).toEqual([
      "in the community - faculty, staff, vendors."
    ])
    expect(one("-1 is the opposite.\n-2 is not.")).toEqual(["-1 is the opposite. -2 is not."])
  })

  it("announced at the end of a cue speak the next one", () => {
    expect(said(["That was all.\nBO:", "Not quite."])).toEqual([["That was all."], ["BO> Not quite."]])
  })

  it("stick only if the manifest says so, and not across a mark of change", () => {
    const texts = ["ANNA: One.", "Two.", "- Three.\n- Four.", "Five."]
    expect(said(texts)).toEqual([["ANNA> One."], ["Two."], ["Three.", "Four."], ["Five."]])
    expect(said(texts, { stickySpeakers: true })).toEqual([
      ["ANNA> One."],
      ["ANNA> Two."],
      ["Three.", "Four."],
      ["Five."]
    ])
  })

  it("continue to the end of a sentence over cues without a name", () => {
    const ends = ["BO: Yes.", "It is.", "ANNA: Fine."]
    expect(said(["ANNA: I was going to", "tell you about", "Bob. [sighs]", "Who?", ...ends])).toEqual([
      ["ANNA> I was going to"],
      ["ANNA> tell you about"],
      ["ANNA> Bob."],
      ["Who?"],
      ["BO> Yes."],
      ["It is."],
      ["ANNA> Fine."]
    ])
    const next = (...texts: ReadonlyArray<string>) => said([...texts, ...ends]).at(-4)
    expect(next("ANNA: I was going to", "[door slams]")).toBe("sound-effect")
    expect(next("ANNA: I was going to", "- What?")).toEqual(["What?"])
    expect(next("ANNA: I was going to", ">> What?")).toEqual(["What?"])
    expect(next("ANNA: I was going to", "BO: what?")).toEqual(["BO> what?"])
    expect(next("ANNA: But I—", "No!")).toEqual(["No!"])
    expect(next("ANNA: But I...", "...never did.")).toEqual(["ANNA> never did."])
    expect(next("ANNA: But I...", "Never.")).toEqual(["Never."])
    expect(next("MAN: Come.\nANNA: I was", "with Mr.", "Bell")).toEqual(["ANNA> Bell"])
  })

  it("continue only if the next cue follows within a breath, in a file that uses full stops", () => {
    const script = subtitle(["ANNA: I was going to", "tell you.", "BO: Oh.", "ANNA: Well."])
    const late = Subtitle.make({
      ...script,
      cues: script.cues.map((cue, i) =>
        i === 0 ? cue : Cue.make({ ...cue, start: millis(cue.start + 1000), end: millis(cue.end + 1000) })
      )
    })
    const speakers = (read: Subtitle) =>
      spokenWords(read, {}, []).cues.map((cue) => ("parts" in cue ? cue.parts[0].speaker : undefined))
    expect(speakers(script)).toEqual(["ANNA", "ANNA", "BO", "ANNA"])
    expect(speakers(late)).toEqual(["ANNA", undefined, "BO", "ANNA"])
    expect(said(["ANNA: one thing", "Another thing", "BO: more of it", "ANNA: and so on"])[1]).toEqual([
      "Another thing"
    ])
  })

  it.prop(
    "continue a sentence without losing a word, and never past a name",
    [
      fc.array(
        fc.record({
          label: fc.constantFrom("", "ANNA: ", "BO: ", "- ", "[sighs] "),
          text: fc.constantFrom("going", "to the", "Harbour", "now.", "is it?", "but—", "so...", "yes,")
        }),
        { minLength: 1, maxLength: 30 }
      )
    ],
    ([cues]) => {
      const script = subtitle(cues.map(({ label, text }) => label + text))
      const plain = spokenWords(script, { speakerLabels: "drop" }, []).cues
      const kept = spokenWords(script, {}, [], { speakers: ["ANNA", "BO"] }).cues
      const words = (read: typeof kept) =>
        read.map((cue) => ("parts" in cue ? cue.parts.map((part) => part.said).join(" ") : cue.skipped))
      expect(words(kept)).toEqual(words(plain))
      kept.forEach((cue, i) => {
        const name = /^(ANNA|BO): /u.exec(cues[i]?.label ?? "")?.[1]
        if (name !== undefined && "parts" in cue) expect(cue.parts[0].speaker).toBe(name)
        if (cues[i]?.label === "- " && "parts" in cue) expect(cue.parts[0].speaker).toBeUndefined()
      })
    }
  )

  it("can be dropped or read aloud", () => {
    expect(one("ANNA: Hello.", { speakerLabels: "drop" })).toEqual(["Hello."])
    expect(one("ANNA: Hello.", { speakerLabels: "speak" })).toEqual(["ANNA: Hello."])
  })

  it("come from the format, with one spelling each", () => {
    const script = subtitle(["Hello.", "ANNA: Bye.", "Well."], ["Anna", undefined, "BO"])
    expect(
      spokenWords(script, {}, []).cues.map((cue) =>
        "parts" in cue ? cue.parts.map((part) => [part.speaker, part.said]) : []
      )
    ).toEqual([[["Anna", "Hello."]], [["Anna", "Bye."]], [["BO", "Well."]]])
    const two = Subtitle.make({
      ...script,
      cues: [
        Cue.make({
          index: 1,
          start: millis(0),
          end: millis(1000),
          text: "Hello.\nBye.",
          turns: [
            Turn.make({ text: "Hello.", speaker: SpeakerName.make("Anna") }),
            Turn.make({ text: "Bye.", speaker: SpeakerName.make("Bo") })
          ],
          line: 1
        })
      ]
    })
    expect(
      spokenWords(two, {}, []).cues.map((cue) =>
        "parts" in cue ? cue.parts.map((part) => part.speaker) : []
      )
    ).toEqual([["Anna", "Bo"]])
  })
})

describe("inline directives", () => {
  it("apply to the turn that contains them, and are not spoken", () => {
    const { cues } = spokenWords(
      subtitle(['- {voice: vi-anna, speed: 1.2}Hello.\n- {say: "See you, Bo"} CU B.', "{voice: x}"]),
      {},
      []
    )
    expect(
      cues.map((cue) => ("parts" in cue ? cue.parts.map((part) => [part.said, part.overrides]) : cue.skipped))
    ).toEqual([
      [
        ["Hello.", { voice: "vi-anna", speed: 1.2 }],
        ["See you, Bo", undefined]
      ],
      "empty"
    ])
  })

  it("that are invalid are reported with the cue's line", () => {
    expect(
      spokenWords(subtitle(["{speed: fast, volume: 3}Hello."]), {}, []).notices.map((notice) => [
        notice.line,
        notice.message
      ])
    ).toEqual([
      [2, 'skipped {speed: fast, volume: 3}: speed: "fast" is not a number above zero'],
      [
        2,
        "skipped {speed: fast, volume: 3}: unknown key volume; expected one of voice, provider, model, speed, vol, pitch, tone, speaker, say"
      ]
    ])
  })
})

describe("the spoken text", () => {
  it("is one line, with hyphenated words rejoined and unpronounceable signs removed", () => {
    expect(one("Two lines\nare one")).toEqual(["Two lines are one"])
    expect(one("an impor-\ntant well-\nknown word")).toEqual(["an important well-known word"])
    expect(said(["a long-lost friend", "another long-\nlost friend"])[1]).toEqual([
      "another long-lost friend"
    ])
    expect(one("Vor-\nund Nachteile")).toEqual(["Vor- und Nachteile"])
    expect(said(["Where are you?", "they know you-\nthrough your site"])[1]).toEqual([
      "they know you-through your site"
    ])
    expect(one("Warum? -")).toEqual(["Warum?"])
    expect(one("out of order. [chuckles].")).toEqual(["out of order."])
    expect(one("• **Two** things:\n• __this__ and ~~that~~, 2**3")).toEqual([
      "Two things: this and that, 2**3"
    ])
    expect(one(",.\nבוקר טוב")).toEqual(["בוקר טוב"])
    expect(one(".בוקר טוב\n?מה נשמע")).toEqual(["בוקר טוב. מה נשמע?"])
    expect(one("...ואז .הלכנו.")).toEqual(["ואז .הלכנו."])
    expect(one("...and on it goes...")).toEqual(["and on it goes..."])
    expect(one("Wait -- what?")).toEqual(["Wait — what?"])
    expect(one("I <3 you, x^3 * x = 100, 50% & more")).toEqual(["I <3 you, x^3 * x = 100, 50% & more"])
    expect(one("Emo ?   Oui !")).toEqual(["Emo? Oui!"])
    expect(one("Great 👍🏽 day 😀")).toEqual(["Great day"])
    expect(one("你好\n我是小王")).toEqual(["你好 我是小王"])
    expect(one("- \u00a0 -")).toBe("empty")
    expect(one("?!...")).toBe("empty")
    expect(one("\ufffd\ufffd\ufffd \ufffd\ufffd")).toBe("lost")
  })

  it("never contains markup, and always has a letter or digit", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[<>/{}[\]()\\a-c .:&;1-3"=|*♪#\n-]{0,60}$/u), (text) => {
        for (const cue of spokenWords(subtitle([text]), {}, []).cues)
          if ("parts" in cue)
            for (const part of cue.parts) {
              expect(part.said).not.toMatch(/<\/?\p{L}|[{}\n]/u)
              expect(part.said).toMatch(/[\p{L}\p{N}]/u)
              expect(part.said).toBe(part.said.trim())
            }
      }),
      { numRuns: 400 }
    )
  })

  it("contains every plain word of every cue once, in order", () => {
    const word = fc.constantFrom(
      "the",
      "river",
      "đêm",
      "rằng",
      "42",
      "it's",
      "well-known",
      "вода",
      "1,000.5",
      "e.g.",
      "now"
    )
    const mark = fc.constantFrom(" ", " ", " ", "\n", ", ", ". ", "? ", "... ")
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.tuple(word, mark), { minLength: 1, maxLength: 12 }), {
          minLength: 1,
          maxLength: 6
        }),
        (cues) => {
          const texts = cues.map((words) => words.map(([text, sign]) => text + sign).join(""))
          const heard = spokenWords(subtitle(texts), { rolling: "keep" }, []).cues.map((cue) =>
            "parts" in cue ? cue.parts.flatMap((part) => letters(part.said)) : []
          )
          expect(heard).toEqual(texts.map((text) => letters(text)))
        }
      ),
      { numRuns: 300 }
    )
  })
})

const letters = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

describe("captions that repeat earlier text", () => {
  const shown = (texts: ReadonlyArray<string>, settings: TextSettings = {}) => {
    const cues = texts.map((text, i) =>
      Cue.make({ index: i + 1, start: millis(i * 1000), end: millis(i * 1000 + 1000), text, line: i + 1 })
    )
    return spokenWords(Subtitle.make({ format: "vtt", notices: [], cues }), settings, []).cues.map((cue) =>
      "parts" in cue ? cue.parts.map((part) => part.said).join(" | ") : cue.skipped
    )
  }

  it("are spoken once if they roll up", () => {
    const texts = [
      "yeah",
      "yeah\nwhat is this",
      "what is this",
      "what is this\nthat we see",
      "that we see\nover there"
    ]
    expect(shown(texts)).toEqual(["yeah", "what is this", "repeated", "that we see", "over there"])
    expect(shown(texts, { rolling: "keep" })).toEqual(texts.map((text) => text.replace("\n", " ")))
  })

  it("are spoken once if they grow", () => {
    expect(shown(["so we", "so we went down", "so we went down to the river,", "and waited"])).toEqual([
      "so we",
      "went down",
      "to the river,",
      "and waited"
    ])
  })

  it("are spoken again if they are only similar", () => {
    expect(shown(["No!", "No!", "Not here.", "No!\nPlease."])).toEqual([
      "No!",
      "No!",
      "Not here.",
      "No! Please."
    ])
    expect(shown(["You just pick a number,", "you just pick a number,", "and go."])).toEqual([
      "You just pick a number,",
      "you just pick a number,",
      "and go."
    ])
  })

  it("are spoken again if a speaker starts over, unless both are on the screen at once", () => {
    const cue = (index: number, start: number, end: number, text: string) =>
      Cue.make({ index, start: millis(start), end: millis(end), text, line: index })
    const heard = (cues: ReadonlyArray<Cue>) =>
      spokenWords(Subtitle.make({ format: "srt", notices: [], cues }), {}, []).cues.map((found) =>
        "parts" in found ? found.parts[0].said : found.skipped
      )
    const rolling = ["the first part of", "part of the talk", "the talk is about", "is about boats."]
    expect(heard(rolling.map((text, i) => cue(i + 1, i * 1000, i * 1000 + 1100, text)))).toEqual([
      "the first part of",
      "the talk",
      "is about",
      "boats."
    ])
    const others = Array.from({ length: 8 }, (_, i) =>
      cue(i + 3, 9000 + i * 2000, 10_000 + i * 2000, `Something else ${i}`)
    )
    expect(
      heard([cue(1, 0, 1000, "Do we know"), cue(2, 1000, 2000, "Do we know how?"), ...others]).slice(0, 2)
    ).toEqual(["Do we know", "Do we know how?"])
    expect(
      heard([cue(1, 0, 2000, "Do we know"), cue(2, 1000, 2000, "Do we know how?"), ...others]).slice(0, 2)
    ).toEqual(["Do we know", "how?"])
  })

  it("are spoken without the numbers that count them", () => {
    for (const counted of [
      "#1: One|#2: Two|#3: Three",
      "[1] One|[2] Two|[3] Three",
      "1. One|2. Two|3. Three"
    ])
      expect(shown(counted.split("|")), counted).toEqual(["One", "Two", "Three"])
    for (const said of ["Top ten.|#10: The Cats", "Here goes.|1. One|2. Two", "1.5 km|2.5 km|3.5 km"])
      expect(shown(said.split("|")), said).toEqual(said.split("|"))
  })

  it("are spoken once if they roll up by words with gaps between them, and what is said again is spoken", () => {
    const heard = (texts: ReadonlyArray<string>) =>
      spokenWords(
        Subtitle.make({
          format: "srt",
          notices: [],
          cues: texts.map((text, i) =>
            Cue.make({
              index: i + 1,
              start: millis(i * 3000),
              end: millis(i * 3000 + 2800),
              text,
              line: i + 1
            })
          )
        }),
        {},
        []
      ).cues.map((cue) => ("parts" in cue ? cue.parts[0].said : cue.skipped))
    const rolling = [
      "so today we are going to look at the",
      "we are going to look at the old wall and",
      "the old wall and see how it",
      "See how it was built."
    ]
    expect(heard([...rolling, "Built.", "It was built."])).toEqual([
      rolling[0],
      "old wall and",
      "see how it",
      "was built.",
      "Built.",
      "It was built."
    ])
  })

  it("are spoken once if they overlap by words, and a reply is spoken", () => {
    const rolling = [
      "What would you say, by the end of today, that we are going to",
      "today, that we are going to\ntake away and what will they have",
      "Take away, and what will they have learned?",
      "Learned? That is a good question.",
      "is a good question. Now,\nlet us see"
    ]
    expect(shown(rolling)).toEqual([
      rolling[0],
      "take away and what will they have",
      "learned?",
      "Learned? That is a good question.",
      "Now, let us see"
    ])
    expect(
      shown(["我们今天要讲的是这个课程的第一部分", "这个课程的第一部分和下一步", "和下一步以及更多"])
    ).toEqual(["我们今天要讲的是这个课程的第一部分", "和下一步", "以及更多"])
    const talk = ["I know what to do.", "What to do?", "Wait.", "For whom?", "For me.", "Go on.", "Well."]
    expect(shown(talk)).toEqual(talk)
  })

  it("are spoken once if they are on several layers", () => {
    const cue = { start: millis(0), end: millis(900), line: 1 }
    const layers = Subtitle.make({
      format: "ass",
      notices: [],
      cues: [Cue.make({ ...cue, index: 1, text: "The End" }), Cue.make({ ...cue, index: 2, text: "The End" })]
    })
    expect(
      spokenWords(layers, {}, []).cues.map((found) => ("parts" in found ? "said" : found.skipped))
    ).toEqual(["said", "repeated"])
  })
})

describe("cues in two languages", () => {
  const texts = [
    "我们将看看\nwe will look",
    "输出 logits。\n*[译者注: 一种值]\nwhich outputs logits.",
    "- 好。\n- Good.",
    "Wunderbar"
  ]

  it("are spoken in the language that the manifest selects", () => {
    expect(said(texts, { bilingual: "first" })).toEqual([
      ["我们将看看"],
      ["输出 logits。"],
      ["好。"],
      ["Wunderbar"]
    ])
    expect(said(texts, { bilingual: "second" })).toEqual([
      ["we will look"],
      ["which outputs logits."],
      ["Good."],
      ["Wunderbar"]
    ])
    expect(said(texts)[0]).toEqual(["我们将看看 we will look"])
    expect(said([...texts, "a line of its own, in English"], { bilingual: "first" }).at(-1)).toBe(
      "other-language"
    )
  })

  it("are split in half if both languages share a script", () => {
    expect(said(["Trời đẹp quá\nWhat a lovely day", "Đi thôi"], { bilingual: "first" })).toEqual([
      ["Trời đẹp quá"],
      ["Đi thôi"]
    ])
    expect(said(["Một\nhai\nOne\ntwo"], { bilingual: "second" })).toEqual([["One two"]])
  })
})

describe("the lexicon", () => {
  it("is applied to the spoken text", () => {
    const lexicon = Either.getOrThrow(
      lexiconOf([
        { word: "WCAG", say: "wuh-kag" },
        { pattern: "(\\d+) ?km", say: "$1 kilometres" }
      ])
    )
    expect(spokenWords(subtitle(["WCAG is 5km away"]), {}, lexicon).cues).toMatchObject([
      { parts: [{ said: "wuh-kag is 5 kilometres away" }] }
    ])
  })
})

describe("cues without a length", () => {
  it("get the time that their words need, up to the next cue", () => {
    const cue = (index: number, start: number, end: number) =>
      Cue.make({ index, start: millis(start), end: millis(end), text: "A few words.", line: index })
    const script = Subtitle.make({
      format: "srt",
      notices: [],
      cues: [cue(1, 1000, 1000), cue(2, 1500, 1500)]
    })
    const slots = spokenWords(script, {}, []).cues.map((found) =>
      "parts" in found ? found.parts[0].slot : undefined
    )
    expect(slots[0]).toMatchObject({ start: 1000, end: 1500 })
    expect(slots[1]?.end).toBeGreaterThan(2200)
  })
})

describe("a narration", () => {
  const block = (kind: "heading" | "paragraph", text: string, line: number) =>
    Block.make({ kind, text, line })
  const story = Narration.make({
    format: "markdown",
    notices: [],
    blocks: [
      block("heading", "The Ferry", 1),
      block("paragraph", "It was late. Dr. Ngo waited at 10.30 p.m. sharp! Nobody came.", 3),
      block("paragraph", "[wind]", 5),
      block("paragraph", "BO: Here I am.", 7)
    ]
  })

  it("is spoken sentence by sentence with pauses", () => {
    const { cues } = spokenWords(story, {}, [], { pauses: { paragraph: 1 }, language: "en" })
    expect(
      cues.map((cue) =>
        "parts" in cue
          ? cue.parts.map((part) => [part.cue, part.part, part.pause, part.said, part.slot])
          : cue.skipped
      )
    ).toEqual([
      [[1, 0, 0, "The Ferry", undefined]],
      [
        [2, 0, 1200, "It was late.", undefined],
        [2, 1, 350, "Dr. Ngo waited at 10.30 p.m. sharp!", undefined],
        [2, 2, 350, "Nobody came.", undefined]
      ],
      "sound-effect",
      [[4, 0, 1000, "Here I am.", undefined]]
    ])
  })
})

describe.skipIf(!hasCorpus)("input and output pairs for SDH removal from other suites", () => {
  /** Texts for which we differ from the suite, and why. */
  const otherwise: ReadonlyArray<readonly [text: string, why: string]> = [
    ["SHOP DOOR BELL CLANGS", "capitals alone do not make a sound: a shout looks the same"],
    ["ENGINE STARTING", "capitals alone do not make a sound: a shout looks the same"],
    ["SKOTT AVFYRADE", "two words in capitals, once in a file, may be a sign on a wall"],
    ["Robert: what", "a name in lower case must be confirmed by the file, and this is a single cue"],
    ["SAURON:", "the file is all capitals, and a label without words has nothing to speak"],
    ["- Referee: Salute.", "our rule accepts a name after a dash, also in lower case"],
    ["[man] Aren't you", "the suite keeps labels in a line with words; ours names the speaker"],
    ["What's going on...?! [gasps]", "the suite keeps notes in a line with words; we remove them"],
    ["<i>noise</i> Hello", "italics are not a note"]
  ]

  it("agree, or differ for a reason", () => {
    const files = [
      "aloxc+subtitleedit/sdh_remove_text_for_hearing_impaired.json",
      "SubtitleEdit+subtitleedit/sdh_remove_text_for_hi_head.json"
    ]
    const pairs = files
      .flatMap(
        (
          file
        ): ReadonlyArray<{
          call: string
          settings: Record<string, string>
          text: string
          expected: string
        }> => JSON.parse(new TextDecoder().decode(corpusFile(`tricky/${file}`)))
      )
      .filter(
        ({ call, settings }) => !call.includes("Interjection") && settings["RemoveInterjections"] !== "true"
      )
    const bare = (text: string) =>
      letters(text.replace(/\{\\[^}]*\}|<[^>]*>/gu, " ").replaceAll("\\u2010", "-"))
        .join(" ")
        .toLowerCase()
    const differing = pairs.filter(({ text, expected }) => {
      const plain = text
        .replace(/\{\\[^}]*\}|<\/?[a-z][^>]*>/gu, "")
        .replaceAll("\\u2010", "\u2010")
        .replaceAll("|", "\n")
      const cue = spokenWords(subtitle([plain.trim()]), {}, []).cues[0]
      const heard = cue !== undefined && "parts" in cue ? cue.parts.map((part) => part.said).join(" ") : ""
      return bare(heard) !== bare(expected)
    })
    expect(pairs.length).toBe(66)
    expect(
      differing.map(({ text }) => text).filter((text) => !otherwise.some(([part]) => text.includes(part)))
    ).toEqual([])
  })
})
