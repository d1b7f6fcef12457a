/**
 * Finds regular expressions whose time grows with the square of a text's length, in what reads text from outside. Each
 * reader gets a start, a repetition and an end. Times above 50 ms, up to the longest text that the service takes, are
 * printed with their ratio to half the text's: 2 where the time is in proportion to the length.
 *
 *     node bench/run.mjs expressions [part of a reader's name]
 */
import { Either } from "effect"
import { attributesIn } from "../src/contract/TraceBaggage.ts"
import { splitTone } from "../src/domain/values/Tone.ts"
import { engineSentences } from "../src/engines/local/EngineSentences.ts"
import { forFlite } from "../src/engines/local/FliteEngine.ts"
import { inertText, wordAlone } from "../src/engines/local/EspeakText.ts"
import { printedTranscript } from "../src/engines/recognition/TranscriptText.ts"
import { normalizeText } from "../src/engines/text/TextNormalization.ts"
import { plainText } from "../src/script/markup/CueMarkup.ts"
import { comparableWords } from "../src/script/heard/ComparableWords.ts"
import { knownLanguages, languageOf } from "../src/script/language/LanguageGuess.ts"
import { splitSentences } from "../src/script/language/SentenceBoundaries.ts"
import { readsAsInstruction } from "../src/script/rewritten/Injection.ts"
import { proposalIn } from "../src/script/rewritten/Proposal.ts"
import { readScript, scriptEndings } from "../src/script/ScriptFile.ts"
import { emptyLexicon } from "../src/script/spoken/Lexicon.ts"
import { spokenWords } from "../src/script/spoken/SpokenWords.ts"
import { isSrt, readEntries } from "../src/service/tasks/SrtText.ts"
import { yamlScalar } from "../src/settings/YamlScalar.ts"

/** The longest text that a provider of the service takes by default. */
const longest = 20_000
/** Milliseconds that a reader may take for it. */
const most = 50

const bytes = (text: string) => new TextEncoder().encode(text)
const timed = "1\n00:00:01,000 --> 00:00:02,000\n"

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  isSrt,
  srt: (text) => readEntries(text),
  cue: (text) => readEntries(timed + text),
  words: (text) =>
    Either.map(readScript(bytes(timed + text), "a.srt"), (script) => spokenWords(script, {}, emptyLexicon)),
  markup: plainText,
  tone: splitTone,
  language: (text) => languageOf(text, knownLanguages),
  sentences: (text) => splitSentences(text),
  english: (text) => normalizeText(text, "en"),
  vietnamese: (text) => normalizeText(text, "vi"),
  flite: (text) => forFlite({ gap: "", original: text, spoken: text }),
  espeak: (text) => [inertText(text), wordAlone(text)],
  engine: (text) => engineSentences(normalizeText(text, "en"), 500),
  heard: (text) => comparableWords(text, "en", { heard: true }),
  printed: printedTranscript,
  instruction: readsAsInstruction,
  proposal: (text) => proposalIn(text, { text: "A line.", limit: longest }),
  yaml: yamlScalar,
  baggage: attributesIn,
  ...Object.fromEntries(
    scriptEndings
      .filter((ending) => !/^(?:srt|xlsx|docx)$/u.test(ending))
      .map((ending) => [`file.${ending}`, (text: string) => readScript(bytes(text), `a.${ending}`)])
  )
}

const starts = [
  "",
  "x",
  "<",
  "</b ",
  "<b a",
  "[",
  "(",
  "{",
  "{\\",
  "- ",
  "# ",
  "♪ ",
  "*",
  "~ ",
  "_a",
  "A ",
  "1: ",
  "a = b",
  "a:\n",
  "$<",
  "WEBVTT\n\n"
]
const signs = [..." \t\n0aAé中.,:;!?-<>[](){}/\\*_~#|&='\"♪¶@%\u2028"]
const repeated = [
  ...signs,
  "a ",
  "A. ",
  "0:",
  "0,",
  "1 ",
  "- ",
  "<b ",
  "a=",
  "\n-",
  " <",
  "<a>",
  "a:",
  "--",
  "[0",
  "0.",
  "&a;",
  "**",
  ".\n"
]

const time = (read: (text: string) => unknown, text: string): number => {
  const start = process.cpuUsage().user
  try {
    read(text)
  } catch {
    // Only its time counts.
  }
  return (process.cpuUsage().user - start) / 1000
}

const [, , part = ""] = process.argv
let found = 0
for (const [name, read] of Object.entries(readers)) {
  if (!name.includes(part)) continue
  for (const start of starts) {
    for (const sign of repeated) {
      const text = (length: number) => `${start}${sign.repeat(length / sign.length)}x\n`
      // Stops early at a length whose time already shows the growth.
      let length = longest / 32
      while (length < longest && time(read, text(length)) < most) length *= 2
      const whole = Math.min(time(read, text(length)), time(read, text(length)))
      if (whole <= most) continue
      const half = Math.min(time(read, text(length / 2)), time(read, text(length / 2)))
      found++
      console.log(
        `${name}: ${JSON.stringify(start)} + ${JSON.stringify(sign)} × ${length / sign.length}: ${Math.round(whole)} ms, ${(whole / half).toFixed(1)} times the half`
      )
    }
  }
}
console.log(`${found} above ${most} ms`)
process.exitCode = found > 0 ? 1 : 0
