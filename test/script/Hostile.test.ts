/** Texts that are crafted to be slow to parse: every case must finish, with the right words. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { ProviderId, VoiceId } from "../../src/domain/values/Ids.ts"
import { profileOf } from "../../src/domain/speech/ProviderProfile.ts"
import { assignVoices } from "../../src/script/spoken/VoiceAssignment.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { planUtterances } from "../../src/script/utterances/UtterancePlan.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"

const cue = (text: string): string => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`
const event = (text: string): string =>
  `[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,${text}`
const many = (text: string): string => text.repeat(Math.ceil(40_000 / text.length))

const files: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "angle brackets": ["a.srt", cue(`${many("<")}x`)],
  "tags without an end": ["a.srt", cue(`${many("<b ")}x`)],
  braces: ["a.srt", cue(`${many("{")}x`)],
  "directives without an end": ["a.srt", cue(`${many("{voice: ")}x`)],
  ampersands: ["a.srt", cue(`${many("&")}x`)],
  dots: ["a.srt", cue(many("."))],
  "dots before a word": ["a.srt", cue(`${many(".")}x`)],
  dashes: ["a.srt", cue(many("- a\n"))],
  "music notes": ["a.srt", cue(`${many("♪ a ")}x`)],
  brackets: ["a.srt", cue(many("x [a] "))],
  "brackets without an end": ["a.srt", cue(`${many("[")}x`)],
  stars: ["a.srt", cue(`${many("*a")}x`)],
  labels: ["a.srt", cue(many("ANNA: hi. "))],
  spaces: ["a.srt", cue(`a${many(" ")}b`)],
  arrows: ["a.srt", cue(many(">> a "))],
  "one word": ["a.srt", cue(many("x"))],
  "one Thai sentence": ["a.srt", cue(many("วันนี้อากาศดีมาก"))],
  "question marks": ["a.srt", cue(many("? a "))],
  "broken words": ["a.srt", cue(many("a-\nb"))],
  "time lines only": ["a.srt", many("00:00:01,000 --> 00:00:02,000\n")],
  colons: ["a.srt", cue(`${many("00:")} --> x`)],
  "stray text": ["a.vtt", `WEBVTT\n\n${many("junk\n\n")}`],
  "Markdown marks": ["a.md", `${many("*a_")} x`],
  "Markdown brackets": ["a.md", `${many("[")} x`],
  drawings: ["a.ass", event(`${many("{\\p1}m 0 0 ")}x`)],
  "Markdown spaces": ["a.md", `a\n${many(" ")}x`],
  "Markdown table rules": ["a.md", `${many("|-")}x`],
  comments: ["a.srt", cue(`${many("<!--")}x`)],
  pilcrows: ["a.srt", cue(`${many("¶")}x`)],
  "pilcrows without an end": ["a.srt", cue(`${many("¶ a\n")}x`)],
  "Markdown comments": ["a.md", `${many("<!---->")}x`],
  "Markdown comments without an end": ["a.md", `${many("<!--\n")}x`],
  "Markdown fences": ["a.md", `${many("`")}${many("x")}\`${many("y")}`],
  "Markdown page links": ["a.md", `${many("[[a|")} x`],
  "text in italics": ["a.txt", `${many("_a ")}x`],
  "Markdown heading": ["a.md", `# ${many(" ")}x`],
  "ASS braces": ["a.ass", event(`${many("{")}x`)]
}

const casting = Casting.make({ provider: ProviderId.make("provider_native"), voice: VoiceId.make("v") })

describe("hostile text", () => {
  for (const [what, [file, text]] of Object.entries(files))
    it(what, () => {
      const script = readScript(new TextEncoder().encode(text), file)
      if (Either.isLeft(script)) return expect(script.left.message.length).toBeLessThan(2000)
      const { cues } = spokenWords(script.right, {}, [])
      const lines = Either.getOrThrow(assignVoices(cues, () => Either.right(casting)))
      for (const nativeInput of ["srt", "text"] as const) {
        const plan = planUtterances(lines, {
          profileOf,
          unit: "sentence",
          nativeInput,
          timed: script.right._tag === "Subtitle"
        })
        expect(plan.uses.length + plan.violations.length > 0).toBe(lines.length > 0)
        for (const { utterance } of plan.uses) expect(utterance.characters).toBeLessThanOrEqual(2000)
      }
    })
})
