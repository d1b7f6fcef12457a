/** Sounds in capitals without brackets, as broadcasters write them, versus words in capitals. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

const said = (texts: ReadonlyArray<string>, speak = false): ReadonlyArray<string> => {
  const srt = texts
    .map((text, i) => {
      const minute = String(i % 60).padStart(2, "0")
      return `${i + 1}\n0${Math.floor(i / 60)}:${minute}:01,000 --> 0${Math.floor(i / 60)}:${minute}:05,000\n${text}\n`
    })
    .join("\n")
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(srt), "a.srt"))
  return spokenWords(script, speak ? { soundEffects: "speak" } : {}, []).cues.map((cue) =>
    "skipped" in cue ? `(${cue.skipped})` : cue.parts.map((part) => part.said).join(" | ")
  )
}

const talk = Array.from({ length: 60 }, (_, i) => `This is what she told him, number ${i}.`)
const inTalk = (...texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  said([...talk, ...texts]).slice(talk.length)

const sounds = [
  ...["APPLAUSE", "LAUGHTER", "MUSIC PLAYS", "THUNDER RUMBLES", "DOOR SLAMS", "SHE SIGHS", "THEY LAUGH"],
  ...["HE CLEARS HIS THROAT", "CHEERING AND APPLAUSE", "PHONE RINGS", "KNOCK ON DOOR", "BIRDS SING"],
  ...["SHOP DOOR BELL CLANGS", "SIREN WAILS", "BABY CRIES", "APPLAUSE CONTINUES", "MUSIC STOPS", "GUNSHOT"],
  ...["DRAMATIC MUSIC", "DOG BARKS IN DISTANCE", "SHE LAUGHS NERVOUSLY", "ENGINE STARTS", "HORSE WHINNIES"],
  ...["INDISTINCT CHATTER", "TYRES SCREECH", "ALL CHEER", "SCREAMING", 'MUSIC: "Heroes" by David Bowie']
]

const words = [
  ...["STOP!", "STOP", "NO", "HELP ME", "RUN", "FIRE", "BE QUIET", "I LOVE MUSIC", "SHE SAYS NO", "OK"],
  ...["THE LAST FERRY", "LONDON, 1984", "CHAPTER ONE", "THE END", "POLICE", "NO SMOKING", "BREAKING NEWS"],
  ...["LORD OF THE RINGS", "THE SOUND OF MUSIC", "SINGING IN THE RAIN", "SILENCE OF THE LAMBS"],
  ...["NEW YORK TIMES", "SEVEN RINGS", "THUNDER ROAD", "The BBC SINGS songs.", "APPLAUSE!", "CHEERS"]
]

describe("capitals", () => {
  it("that name a sound are not spoken", () => {
    expect(inTalk(...sounds)).toEqual(sounds.map(() => "(sound-effect)"))
  })

  it("that are shouts, titles and signs are spoken, even in a file with such sounds", () => {
    expect(inTalk(...words)).toEqual(words)
    expect(inTalk(...words, "APPLAUSE", "DOOR SLAMS").slice(0, words.length)).toEqual(words)
  })

  it("are removed next to words", () => {
    expect(
      inTalk(
        ...["Please, Mr Krook.\nSHOP DOOR BELL CLANGS", "SHE SIGHS I don't know.", "LAUGHTER Thank you."],
        ...["Thank you very much. APPLAUSE", "- APPLAUSE\n- Thank you.", "DOOR SLAMS\nWho is it?"]
      )
    ).toEqual([
      ...[
        "Please, Mr Krook.",
        "I don't know.",
        "Thank you.",
        "Thank you very much.",
        "Thank you.",
        "Who is it?"
      ]
    ])
  })

  it("do not count in an all-capitals file, nor once among other lines in capitals", () => {
    const all = ["APPLAUSE", "THEN HE CAME IN", "AND WE ALL WENT HOME", "DOOR SLAMS", "IT WAS LATE"]
    expect(said(all)).toEqual(all)
    const signs = ["APPLAUSE", "NEWSROOM", "EXIT ONLY", "TO LET"]
    expect(inTalk(...signs)).toEqual(signs)
    expect(inTalk("APPLAUSE")).toEqual(["(sound-effect)"])
  })

  it("are spoken if soundEffects is speak", () => {
    expect(said([...talk, "DOOR SLAMS", "APPLAUSE"], true).slice(talk.length)).toEqual([
      "DOOR SLAMS",
      "APPLAUSE"
    ])
  })
})
