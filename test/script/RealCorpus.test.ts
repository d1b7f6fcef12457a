/** Every real subtitle through all of src/script: parsing, spoken words, voices, utterances, and edits. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { ProviderId, VoiceId } from "../../src/domain/values/Ids.ts"
import { Line } from "../../src/domain/speech/Line.ts"
import { profileOf } from "../../src/domain/speech/ProviderProfile.ts"
import { assignVoices } from "../../src/script/spoken/VoiceAssignment.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { planUtterances, type UtteranceRules } from "../../src/script/utterances/UtterancePlan.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"
import { corpusFile, hasCorpus, realFiles } from "./corpus.ts"

const native = Casting.make({ provider: ProviderId.make("provider_native"), voice: VoiceId.make("v") })

const modes: ReadonlyArray<UtteranceRules> = [
  { profileOf, unit: "cue", nativeInput: "srt", timed: true },
  { profileOf, unit: "sentence", nativeInput: "text", timed: true }
]

const letters = (text: string): string => text.replace(/\s+/gu, "")

const files = realFiles().map(({ path, language }) => ({
  path,
  language,
  script: readScript(corpusFile(path), path)
}))

const linesOf = (path: string): ReadonlyArray<Line> => {
  const script = Either.getOrThrow(readScript(corpusFile(path), path))
  return Either.getOrThrow(assignVoices(spokenWords(script, {}, []).cues, () => Either.right(native)))
}

describe.skipIf(!hasCorpus)("real subtitles", () => {
  it("are all parsed, and nothing is skipped", () => {
    expect(files.length).toBe(170)
    expect(files.filter(({ script }) => Either.isLeft(script)).map(({ path }) => path)).toEqual([])
    const notices = files.flatMap(({ script, path }) =>
      Either.isRight(script)
        ? script.right.notices.map((notice) => `${path}:${notice.line}: ${notice.message}`)
        : []
    )
    expect(notices).toEqual([])
  })

  it("have every cue spoken or skipped for a reason, and no markup in the spoken text", () => {
    let said = 0
    let skipped = 0
    for (const { script } of files) {
      const words = spokenWords(Either.getOrThrow(script), {}, [])
      expect(words.notices).toEqual([])
      for (const cue of words.cues) {
        if ("skipped" in cue) skipped++
        else said++
        if ("parts" in cue)
          for (const part of cue.parts) {
            expect(part.said).not.toMatch(/<\/?\p{L}|[{}♪\n]|\\N/u)
            expect(part.slot?.end).toBeGreaterThan(part.slot?.start ?? Infinity)
          }
      }
    }
    expect(said).toBeGreaterThan(24_500)
    expect(skipped).toBeLessThan(350)
  })

  it("become tasks within every limit, with no word lost or repeated", () => {
    for (const { path, language } of files) {
      const lines = linesOf(path)
      for (const rules of modes) {
        const plan = planUtterances(lines, { ...rules, language })
        expect(
          plan.violations.map((violation) => violation.message),
          path
        ).toEqual([])
        const heard = new Map<string, string>()
        for (const { utterance, lines: refs } of plan.uses) {
          expect(utterance.characters).toBeLessThanOrEqual(2000)
          expect(utterance.input === "srt" || utterance.characters >= 100).toBe(true)
          refs.forEach((ref, i) => {
            const key = `${ref.cue}.${ref.part}`
            heard.set(key, (heard.get(key) ?? "") + letters(utterance.said[i] ?? ""))
          })
        }
        expect(heard).toEqual(new Map(lines.map((line) => [`${line.cue}.${line.part}`, letters(line.said)])))
      }
    }
  })

  it("are spoken again after an edit only if they are merged with the edited line", () => {
    let edits = 0
    let again = 0
    let most = 0
    for (const { path } of files.filter((_, i) => i % 4 === 0)) {
      const lines = linesOf(path)
      for (const rules of modes) {
        const before = new Set(planUtterances(lines, rules).uses.map((use) => use.utterance.key))
        for (const at of [0, lines.length >> 1, lines.length - 1]) {
          const edited = lines.map((line, i) =>
            i === at ? Line.make({ ...line, said: `${line.said} Indeed.` }) : line
          )
          const fresh = planUtterances(edited, rules).uses.filter((use) => !before.has(use.utterance.key))
          edits++
          again += fresh.flatMap((use) => use.lines).length
          most = Math.max(most, fresh.length)
        }
      }
    }
    expect(again / edits).toBeLessThan(10)
    expect(most).toBeLessThanOrEqual(4)
  })
})
