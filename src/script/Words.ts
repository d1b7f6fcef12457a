/** What is to be said of a script: cue by cue, by whom, and why the rest stays unspoken. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import { isNonEmptyReadonlyArray } from "effect/Array"
import { Notice, type Cue, type Narration, type Script, type Subtitle } from "../domain/Cue.ts"
import { SpeakerName } from "../domain/Ids.ts"
import { type SkipReason, Slot } from "../domain/Line.ts"
import type { PauseSettings, TextSettings } from "../domain/Manifest.ts"
import { fromSeconds, type Millis, millis } from "../domain/Units.ts"
import { languagesOf, linesIn } from "./Bilingual.ts"
import { type LabelSurvey, surveyLabels } from "./Labels.ts"
import { type Lexicon, sayBy } from "./Lexicon.ts"
import { withoutMusic, withoutSounds } from "./Notes.ts"
import { type Overrides, takeOverrides } from "./Overrides.ts"
import { naturalLength } from "./Pace.ts"
import { withoutRepeats } from "./Rolling.ts"
import { sentencesOf } from "./Sentences.ts"
import { spokenLine, type Vocabulary, vocabularyOf } from "./Speech.ts"
import { turnsOf } from "./Turns.ts"
import { unchecked } from "./Unchecked.ts"
import { isPronounceable } from "./Writing.ts"

/** A part of a cue that one speaker says; a cue with one speaker is one part. */
export interface WordsPart {
  /** The cue's index; in a narration the block's position from 1. */
  readonly cue: number
  /** The position from 0 among the cue's parts. */
  readonly part: number
  readonly speaker?: SpeakerName
  readonly said: string
  /** When it should be heard; absent in a narration. */
  readonly slot?: Slot
  /** Silence before it, in a narration. */
  readonly pause?: Millis
  /** What the text itself wishes for this part. */
  readonly overrides?: Overrides
}

/** A cue with what is said of it, or with the reason why nothing is. */
export type CueWords =
  | { readonly cue: number; readonly line: number; readonly parts: NonEmptyReadonlyArray<WordsPart> }
  | { readonly cue: number; readonly line: number; readonly skipped: SkipReason }

/** A script's words, one entry a cue in the script's order. */
export interface Words {
  readonly cues: ReadonlyArray<CueWords>
  readonly notices: ReadonlyArray<Notice>
}

/** What besides the manifest's settings decides. */
export interface WordsContext {
  /** Speakers known by name: a label that names one needs no other proof. */
  readonly speakers?: ReadonlyArray<string>
  /** Silences of a narration. */
  readonly pauses?: PauseSettings
  /** The language, for finding sentences. */
  readonly language?: string
}

/** Reads a script's words by the manifest's settings and lexicon. */
export const wordsOf = (
  script: Script,
  settings: TextSettings,
  lexicon: Lexicon,
  context: WordsContext = {}
): Words =>
  script._tag === "Subtitle"
    ? subtitleWords(script, settings, lexicon, context)
    : narrationWords(script, settings, lexicon, context)

interface Reader {
  readonly settings: TextSettings
  readonly lexicon: Lexicon
  readonly survey: LabelSurvey | undefined
  readonly vocabulary: Vocabulary
  readonly notices: Array<Notice>
  /** Each speaker as the manifest writes it, else as first written, by its name in capitals. */
  readonly names: Map<string, SpeakerName>
  /** The speaker that a label at the end of a cue announces for the next one. */
  announced: SpeakerName | undefined
  /** Who spoke last. */
  last: SpeakerName | undefined
}

const knownSpeakers = (context: WordsContext): ReadonlyArray<SpeakerName> =>
  (context.speakers ?? []).flatMap((name) => (name.trim() === "" ? [] : [SpeakerName.make(name.trim())]))

const readerOf = (
  texts: ReadonlyArray<string>,
  speakers: ReadonlyArray<SpeakerName>,
  settings: TextSettings,
  lexicon: Lexicon
): Reader => ({
  settings,
  lexicon,
  survey:
    settings.speakerLabels === "speak"
      ? undefined
      : surveyLabels(
          texts.flatMap((text) => text.split("\n")),
          speakers
        ),
  vocabulary: vocabularyOf(texts),
  notices: [],
  names: new Map(speakers.toReversed().map((name) => [name.toUpperCase(), name])),
  announced: undefined,
  last: undefined
})

const subtitleWords = (
  script: Subtitle,
  settings: TextSettings,
  lexicon: Lexicon,
  context: WordsContext
): Words => {
  const { cues } = script
  const texts = cues.map((cue) => cue.text)
  const named = cues.flatMap((cue) => [cue.speaker, ...(cue.turns ?? []).map((turn) => turn.speaker)])
  const reader = readerOf(
    texts,
    [...knownSpeakers(context), ...named.filter((name) => name !== undefined)],
    settings,
    lexicon
  )
  const fresh =
    settings.rolling === "keep"
      ? texts
      : withoutRepeats(
          cues.map((cue) => ({ start: cue.start, end: cue.end, text: cue.text, speaker: cue.speaker }))
        )
  const languages = languagesOf(texts)
  const which = settings.bilingual ?? "all"
  return {
    cues: cues.map((cue, i) => {
      const text = fresh[i] ?? ""
      const skip = (skipped: SkipReason): CueWords => ({ cue: cue.index, line: cue.line, skipped })
      if (isDestroyed(cue.text)) return skip("unreadable")
      if (text === "" && isPronounceable(cue.text)) return skip("repeated")
      const chosen = which === "all" ? text : linesIn(text, which, languages)
      if (chosen === undefined) return skip("other-language")
      const turns =
        cue.turns !== undefined && chosen === cue.text ? cue.turns : [{ speaker: cue.speaker, text: chosen }]
      const said = turns.flatMap((turn) => spokenTurns(turn.text, turn.speaker, cue.line, reader))
      const parts = partsOf(cue, slotted(cue, cues[i + 1], said))
      return isNonEmptyReadonlyArray(parts) ? { cue: cue.index, line: cue.line, parts } : skip(reasonOf(said))
    }),
    notices: reader.notices
  }
}

/** A third of the letters and more destroyed by an earlier conversion: nothing that could be said. */
const isDestroyed = (text: string): boolean => {
  const lost = text.match(/\ufffd/gu)?.length ?? 0
  return lost > 0 && lost * 2 >= (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
}

interface Said {
  readonly speaker: SpeakerName | undefined
  readonly said: string
  readonly overrides: Overrides
  /** What was left out of it. */
  readonly left: "music" | "sound-effect" | undefined
}

const reasonOf = (said: ReadonlyArray<Said>): SkipReason =>
  said.some((turn) => turn.left === "music")
    ? "music"
    : said.some((turn) => turn.left === "sound-effect")
      ? "sound-effect"
      : "empty"

/** A text's turns, each with what is said of it, which may be nothing. */
const spokenTurns = (
  text: string,
  formatSpeaker: SpeakerName | undefined,
  line: number,
  reader: Reader
): ReadonlyArray<Said> => {
  const { settings } = reader
  const music = withoutMusic(text, settings.music ?? "skip")
  const turns = turnsOf(music.text, reader.survey)
  return turns.map((turn, i) => {
    const wishes = takeOverrides(turn.text)
    for (const fault of wishes.faults)
      reader.notices.push(Notice.make({ line, message: `passed over: ${fault}` }))
    const speaker = speakerOf(
      wishes.overrides.speaker ?? turn.speaker ?? formatSpeaker,
      turn.changed || (turns.length > 1 && i > 0),
      reader
    )
    const sounds = withoutSounds(wishes.text, settings.soundEffects ?? "skip")
    const words = wishes.overrides.say ?? sounds.text
    const said = spokenLine(sayBy(reader.lexicon, spokenLine(words, reader.vocabulary)), reader.vocabulary)
    if (said === "" && i === turns.length - 1 && turn.speaker !== undefined && turn.text === "")
      reader.announced = speaker
    const left = music.music ? "music" : sounds.sounds ? "sound-effect" : undefined
    return { speaker, said: isPronounceable(said) ? said : "", overrides: wishes.overrides, left }
  })
}

/** Whoever is named; else whom a label before announced; else, where speakers stick, who spoke last, if no mark says that someone else does. */
const speakerOf = (named: string | undefined, changed: boolean, reader: Reader): SpeakerName | undefined => {
  const { settings } = reader
  if (settings.speakerLabels === "drop") return undefined
  const announced = reader.announced
  reader.announced = undefined
  if (named === undefined) {
    const speaker = announced ?? (settings.stickySpeakers === true && !changed ? reader.last : undefined)
    reader.last = speaker
    return speaker
  }
  const key = named.toUpperCase()
  const name = reader.names.get(key) ?? SpeakerName.make(named.trim())
  reader.names.set(key, name)
  reader.last = name
  return name
}

/** A cue's time shared out by length; a cue without a length gets what its words need, up to the next cue. */
const slotted = (
  cue: Cue,
  next: Cue | undefined,
  said: ReadonlyArray<Said>
): ReadonlyArray<Said & { readonly slot: Slot }> => {
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
    return { ...turn, slot: Slot.make({ start: millis(from), end: millis(to) }, unchecked) }
  })
}

const partsOf = (cue: Cue, said: ReadonlyArray<Said & { readonly slot: Slot }>): ReadonlyArray<WordsPart> =>
  said.map((turn, part) => ({ ...partOf(cue.index, part, turn), slot: turn.slot }))

const partOf = (cue: number, part: number, turn: Said): WordsPart => {
  const { say: _said, speaker: _named, ...wishes } = turn.overrides
  return {
    cue,
    part,
    said: turn.said,
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
  const reader = readerOf(
    script.blocks.map((block) => block.text),
    knownSpeakers(context),
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
    const said = spokenTurns(block.text, undefined, block.line, reader)
    const opening =
      before === undefined
        ? millis(0)
        : before === "heading" || block.kind === "heading"
          ? pauses.heading
          : pauses.paragraph
    const parts = said
      .filter((turn) => turn.said !== "")
      .flatMap((turn) =>
        sentencesOf(turn.said, context.language).map((sentence) => ({ ...turn, said: sentence }))
      )
      .map((turn, part) => ({ ...partOf(cue, part, turn), pause: part === 0 ? opening : pauses.sentence }))
    if (!isNonEmptyReadonlyArray(parts)) return { cue, line: block.line, skipped: reasonOf(said) }
    before = block.kind
    return { cue, line: block.line, parts }
  })
  return { cues, notices: reader.notices }
}
