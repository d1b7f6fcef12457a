/** Turns a script into spoken words: for each cue the parts to speak with their speakers, or the reason to skip it. */
import { isNonEmptyReadonlyArray } from "effect/Array"
import { Cue, type Narration, type Script, type Subtitle } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import { type SkipReason, Slot } from "../../domain/speech/Line.ts"
import type { PauseSettings, TextSettings } from "../../domain/manifest/ScriptSettings.ts"
import { fromSeconds, millis } from "../../domain/time/Units.ts"
import { withCapitalSounds } from "./CapitalSounds.ts"
import { marksSounds, unemphasized } from "../markup/Emphasis.ts"
import { detectLanguages, linesInLanguage } from "../language/BilingualLines.ts"
import { bilingualFileOf } from "../language/BilingualDetection.ts"
import type { Lexicon } from "./Lexicon.ts"
import { lostWords, withLost } from "./LostCues.ts"
import { isShown, styleNotices } from "../markup/StyleFilter.ts"
import { withSentencesKept } from "./MidSentence.ts"
import { naturalLength } from "../language/SpeechRate.ts"
import { removeRepeats } from "./RollUpCaptions.ts"
import { splitSentences } from "../language/SentenceBoundaries.ts"
import { type WordsPart, type CueWords, type Words } from "./CueWords.ts"
import { makeReader, skipReasonOf, type SpokenCue, turnsToSpeech } from "./CueToSpeech.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { isPronounceable } from "../language/WritingSystems.ts"

/** Inputs besides the manifest's text settings. */
export interface WordsContext {
  /** Known speakers: a label with one of these names needs no further proof. */
  readonly speakers?: ReadonlyArray<string>
  /** Silences in a narration. */
  readonly pauses?: PauseSettings
  /** The language, for sentence segmentation. */
  readonly language?: string
}

/** Returns a script's words, according to the manifest's settings and lexicon. */
export const spokenWords = (
  script: Script,
  settings: TextSettings,
  lexicon: Lexicon,
  context: WordsContext = {}
): Words =>
  script._tag === "Subtitle"
    ? subtitleWords(script, settings, lexicon, context)
    : narrationWords(script, settings, lexicon, context)

const knownSpeakers = (context: WordsContext): ReadonlyArray<SpeakerName> =>
  (context.speakers ?? []).flatMap((name) => (name.trim() === "" ? [] : [SpeakerName.make(name.trim())]))

const subtitleWords = (
  script: Subtitle,
  settings: TextSettings,
  lexicon: Lexicon,
  context: WordsContext
): Words => {
  const cues = prepared(settings.styleSpeakers === true ? script.cues.map(spokenByStyle) : script.cues)
  const texts = cues.map((cue) => cue.text)
  const named = cues.flatMap((cue) => [cue.speaker, ...(cue.turns ?? []).map((turn) => turn.speaker)])
  const reader = makeReader(
    texts,
    [...knownSpeakers(context), ...named.filter((name) => name !== undefined)],
    settings,
    lexicon
  )
  const fresh =
    settings.rolling === "keep"
      ? cues
      : removeRepeats(
          cues.map((cue) => ({
            start: cue.start,
            end: cue.end,
            text: isShown(cue, settings.styles) ? cue.text : "",
            speaker: cue.speaker,
            style: cue.style
          }))
        )
  const which = settings.bilingual ?? "all"
  const languages = which === "all" ? undefined : detectLanguages(texts)
  const styles =
    which === "all" ? undefined : bilingualFileOf(cues.filter((cue) => isShown(cue, settings.styles)))?.styles
  const chosenOf = (text: string, style: string | undefined): string | undefined => {
    if (which === "all") return text
    if (styles === undefined) return linesInLanguage(text, which, languages)
    return style === styles[which === "first" ? "second" : "first"] ? undefined : text
  }
  const read = cues.map((cue, i): CueWords => {
    const { text = "", end = cue.end } = fresh[i] ?? {}
    const skip = (skipped: SkipReason): CueWords => ({ cue: cue.index, line: cue.line, skipped })
    if (!isShown(cue, settings.styles)) return skip("excluded")
    if (isDestroyed(cue.text)) return lostWords(cue, destroyed, reader)
    if (cue.sung === true && settings.music !== "speak") return skip("music")
    if (text === "" && isPronounceable(cue.text)) return skip("repeated")
    const chosen = chosenOf(text, cue.style)
    if (chosen === undefined) return skip("other-language")
    const turns =
      cue.turns !== undefined && chosen === cue.text ? cue.turns : [{ speaker: cue.speaker, text: chosen }]
    const said = turns.flatMap((turn) => turnsToSpeech(turn.text, turn.speaker, cue.line, reader))
    const parts = partsOf(cue, slotted({ ...cue, end: millis(end) }, cues[i + 1], said))
    return isNonEmptyReadonlyArray(parts)
      ? { cue: cue.index, line: cue.line, parts }
      : skip(skipReasonOf(said))
  })
  return {
    cues: withLost(withSentencesKept(read, cues), script, reader),
    notices: [...styleNotices(script, settings.styles), ...reader.notices]
  }
}

const destroyed =
  "an earlier conversion destroyed its letters (U+FFFD); use the file from before that conversion"

/** Returns a cue with its style as the speaker, unless the file names one. */
const spokenByStyle = (cue: Cue): Cue =>
  cue.style === undefined || cue.speaker !== undefined || cue.turns !== undefined
    ? cue
    : Cue.make({ ...cue, speaker: SpeakerName.make(cue.style) }, skipValidation)

/** Removes emphasis marks and numbering, and puts sounds written in capitals in braces. */
const prepared = (written: ReadonlyArray<Cue>): ReadonlyArray<Cue> => {
  const soundStars = marksSounds(written.map((cue) => cue.text))
  const cues = written.map((cue) => unemphasized(cue, soundStars))
  const words = withoutNumbering(
    cues.map((cue) => cue.text),
    cues.map((cue) => cue.index)
  )
  const marked = withCapitalSounds(words)
  return cues.map((cue, i) => {
    const text = marked[i] ?? cue.text
    return text === cue.text || cue.turns !== undefined ? cue : Cue.make({ ...cue, text }, skipValidation)
  })
}

/** Whether at least a third of a text's letters are U+FFFD: too few are left to speak. */
const isDestroyed = (text: string): boolean => {
  const lost = text.match(/\ufffd/gu)?.length ?? 0
  return lost > 0 && lost * 2 >= (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
}

/** Splits a cue's time among its parts by length. A cue of zero length gets the time its words need, up to the next. */
const slotted = (
  cue: Pick<Cue, "start" | "end">,
  next: Cue | undefined,
  said: ReadonlyArray<SpokenCue>
): ReadonlyArray<SpokenCue & { readonly slot: Slot }> => {
  const spoken = said.filter((turn) => turn.said !== "")
  const weights = spoken.map((turn) => naturalLength(turn.said))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const end =
    cue.end > cue.start
      ? cue.end
      : Math.max(
          cue.start + 1,
          Math.min(cue.start + total, next === undefined || next.start <= cue.start ? Infinity : next.start)
        )
  let before = 0
  return spoken.map((turn, i) => {
    const from = cue.start + ((end - cue.start) * before) / total
    before += weights[i] ?? 0
    const to = cue.start + ((end - cue.start) * before) / total
    return { ...turn, slot: Slot.make({ start: millis(from), end: millis(to) }, skipValidation) }
  })
}

const partsOf = (
  cue: Cue,
  said: ReadonlyArray<SpokenCue & { readonly slot: Slot }>
): ReadonlyArray<WordsPart> => said.map((turn, part) => partOf(cue.index, part, turn, { slot: turn.slot }))

const partOf = (
  cue: number,
  part: number,
  turn: SpokenCue,
  timing: Pick<WordsPart, "slot" | "pause">
): WordsPart => {
  const { say: _said, speaker: _named, ...wishes } = turn.overrides
  return {
    cue,
    part,
    said: turn.said,
    // After the literal keys: with a leading spread, V8 keeps a hidden class for each such object.
    ...timing,
    ...(turn.speaker === undefined ? {} : { speaker: turn.speaker }),
    ...(Object.keys(wishes).length === 0 ? {} : { overrides: wishes })
  }
}

const narrationWords = (
  script: Narration,
  settings: TextSettings,
  lexicon: Lexicon,
  context: WordsContext
): Words => {
  const texts = withoutNumbering(
    script.blocks.map((block) => block.text),
    []
  )
  const reader = makeReader(
    texts,
    [...knownSpeakers(context), ...script.blocks.flatMap(({ speaker }) => speaker ?? [])],
    settings,
    lexicon
  )
  const pauses = {
    sentence: fromSeconds(context.pauses?.sentence ?? 0.35),
    paragraph: fromSeconds(context.pauses?.paragraph ?? 0.8),
    heading: fromSeconds(context.pauses?.heading ?? 1.2)
  }
  let before: "heading" | "paragraph" | undefined
  const cues = script.blocks.map((block, i): CueWords => {
    const cue = i + 1
    const said = turnsToSpeech(texts[i] ?? block.text, block.speaker, block.line, reader)
    const opening =
      before === undefined
        ? millis(0)
        : before === "heading" || block.kind === "heading"
          ? pauses.heading
          : pauses.paragraph
    const parts = said
      .filter((turn) => turn.said !== "")
      .flatMap((turn) =>
        splitSentences(turn.said, context.language).map((sentence) => ({ ...turn, said: sentence }))
      )
      .map((turn, part) => partOf(cue, part, turn, { pause: part === 0 ? opening : pauses.sentence }))
    if (!isNonEmptyReadonlyArray(parts)) return { cue, line: block.line, skipped: skipReasonOf(said) }
    before = block.kind
    return { cue, line: block.line, parts }
  })
  return { cues, notices: reader.notices }
}

/** Numbers that a translator or an export wrote before each text, such as `#1: Hello`. They are no speech. */
const numbering = /^\s*(#\s?)?[[(]?(\d{1,5})(?:\s*[\]):.：–—-]{1,2}(?!\d)|(?=\n))\s*/u

/** Number of texts from which numbers without a `#` are numbering, if nearly all texts have one. */
const enough = 3

/** Removes the numbers if they count the texts: each has its own number, or its position. */
const withoutNumbering = (
  texts: ReadonlyArray<string>,
  numbers: ReadonlyArray<number>
): ReadonlyArray<string> => {
  const found = texts.map((text) => numbering.exec(text))
  const counts = (match: RegExpExecArray | null, i: number): boolean =>
    match !== null && (Number(match[2]) === numbers[i] || Number(match[2]) === i + 1)
  const hashed = found.flatMap((match, i) => (match?.[1] === undefined ? [] : [counts(match, i)]))
  const plain = found.filter(counts).length
  return (hashed.length > 0 && hashed.every((right) => right)) ||
    (plain >= enough && plain >= 0.8 * texts.length)
    ? texts.map((text, i) => (counts(found[i] ?? null, i) ? text.replace(numbering, "") : text))
    : texts
}
