/** Lines without end, as others may send them: reading takes time in proportion to their length. */
import { Either } from "effect"
import { expect, test } from "vitest"
import { attributesIn } from "../../../../src/contract/TraceBaggage.ts"
import { splitTone } from "../../../../src/domain/values/Tone.ts"
import { wordAlone } from "../../../../src/engines/local/EspeakText.ts"
import { engineSentences } from "../../../../src/engines/local/EngineSentences.ts"
import { forFlite } from "../../../../src/engines/local/FliteEngine.ts"
import { printedTranscript } from "../../../../src/engines/recognition/TranscriptText.ts"
import { normalizeText } from "../../../../src/engines/text/TextNormalization.ts"
import { writtenWords } from "../../../../src/engines/text/WrittenWords.ts"
import { comparableWords } from "../../../../src/script/heard/ComparableWords.ts"
import { withoutEmphasis } from "../../../../src/script/markup/Emphasis.ts"
import { readsAsInstruction } from "../../../../src/script/rewritten/Injection.ts"
import { proposalIn } from "../../../../src/script/rewritten/Proposal.ts"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { emptyLexicon } from "../../../../src/script/spoken/Lexicon.ts"
import { spokenWords } from "../../../../src/script/spoken/SpokenWords.ts"
import { isSrt, readEntries } from "../../../../src/service/tasks/SrtText.ts"
import { yamlScalar } from "../../../../src/settings/YamlScalar.ts"

const time = "1\n00:00:01,000 --> 00:00:02,000"
const heads = [
  `${time}\n<`,
  `${time}\n</b a`,
  "",
  "1\n00:00:01,000 --> ",
  `${time} `,
  `${time}\n`,
  "1\n[00:01 --> 00:02]"
]
/** Reads the words of a subtitle whose only cue has this text. */
const words = (music: "skip" | "speak") => (text: string) =>
  Either.map(readScript(new TextEncoder().encode(`${time}\n${text}x\n`), "a.srt"), (script) =>
    spokenWords(script, { music }, emptyLexicon)
  )

const signs = ["0", "a", " ", ":", "-", "<", "[", "\n", "\u2028"]

// 10,000 signs take 10 ms of the processor; with patterns of the length's square, they took 400 ms.
test.each(heads)("%j and any two signs, repeated", (head) => {
  for (const one of signs) {
    for (const other of signs) {
      const text = `${head}${(one + other).repeat(5_000)}x\n`
      const before = process.cpuUsage().user
      isSrt(text)
      readEntries(text)
      expect([one, other, (process.cpuUsage().user - before) / 1000 < 200]).toEqual([one, other, true])
    }
  }
})

test.each<readonly [name: string, read: (text: string) => unknown, text: string]>([
  ["a scalar of YAML", yamlScalar, `a\n${" \n".repeat(20_000)}b`],
  ["a number that a recogniser heard", (text) => comparableWords(text, "en"), `${"1,".repeat(40_000)}1`],
  ["years that a recogniser heard", (text) => comparableWords(text, "en"), "1984 ".repeat(8_000)],
  ["Chinese, read as Vietnamese", (text) => normalizeText(text, "vi"), "中".repeat(40_000)],
  ["a note", words("skip"), `[${" ".repeat(40_000)}`],
  ["tags without end", words("skip"), "<b ".repeat(13_000)],
  ["a song", words("skip"), `# ${" ".repeat(40_000)}`],
  ["a song that is spoken", words("speak"), `# a${" ".repeat(40_000)}`],
  ["emphasis", withoutEmphasis, `~ ${" ".repeat(40_000)}`],
  ["a tone", splitTone, `[a]${" ".repeat(40_000)}`],
  ["baggage", attributesIn, `a=${" ".repeat(40_000)}b c`],
  ["a word for eSpeak NG", wordAlone, `a${"-".repeat(40_000)}b`],
  ["a word for Flite", (spoken) => forFlite({ gap: "", original: "", spoken }), `a${" ".repeat(40_000)}b`],
  ["Chinese", (text) => writtenWords(text, "en"), "中".repeat(80_000)],
  ["a recogniser's lines", printedTranscript, "\u2028".repeat(40_000)],
  ["lines of instructions", readsAsInstruction, "\u2028".repeat(40_000)],
  ["words of instructions", readsAsInstruction, "игнорир".repeat(6_000)],
  ["a rewriter's answer", (text) => proposalIn(text, { text: "A line.", limit: 90 }), "a".repeat(40_000)]
])("%s of 40,000 signs or more", (_, read, text) => {
  const before = process.cpuUsage().user
  read(text)
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(400)
})

test("words without a stop, of 240,000 signs", () => {
  const before = process.cpuUsage().user
  engineSentences(normalizeText(" <".repeat(120_000), "en"), 500)
  // 800 ms on an idle machine; in time with the square of their number, they took 7,300 ms.
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(4_000)
})
