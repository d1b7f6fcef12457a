/** Turns one cue's text into each speaker's words: removes notes, labels and directives, and cleans up the rest. */
import { Notice } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import type { SkipReason } from "../../domain/speech/Line.ts"
import type { TextSettings } from "../../domain/manifest/ScriptSettings.ts"
import { surveyLabels, labelAt, type LabelSurvey } from "./SpeakerLabels.ts"
import { sayBy, type Lexicon } from "./Lexicon.ts"
import { withoutMusic, withoutSounds } from "./NonSpeech.ts"
import { extractDirectives, leadingDirectives, type InlineDirectives } from "../markup/InlineDirectives.ts"
import { cleanLine, vocabularyOf, type Vocabulary } from "./SpokenLine.ts"
import { isPronounceable, isCapitals } from "../language/WritingSystems.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"

/** State kept while a script is read from start to end. */
export interface Reader {
  readonly settings: TextSettings
  readonly lexicon: Lexicon
  readonly survey: LabelSurvey | undefined
  readonly vocabulary: Vocabulary
  readonly notices: Array<Notice>
  /** Speakers by upper-case name, spelt as in the manifest or else as at first sight. */
  readonly names: Map<string, SpeakerName>
  /** The speaker whom a label at the end of a cue announces for the next one. */
  announced: SpeakerName | undefined
  /** The last speaker. */
  last: SpeakerName | undefined
}

/** Creates the state for reading these texts from the start. */
export const makeReader = (
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

/** One speaker's part of a cue; `said` may be empty. */
export interface SpokenCue {
  readonly speaker: SpeakerName | undefined
  readonly said: string
  readonly overrides: InlineDirectives
  /** The parts that were removed from it. */
  readonly left: "music" | "sound-effect" | undefined
}

/** Returns why a cue has nothing to say. */
export const skipReasonOf = (said: ReadonlyArray<SpokenCue>): SkipReason =>
  said.some((turn) => turn.left === "music")
    ? "music"
    : said.some((turn) => turn.left === "sound-effect")
      ? "sound-effect"
      : "empty"

/** Splits a text into speaker turns and returns the words of each, which may be empty. */
export const turnsToSpeech = (
  text: string,
  formatSpeaker: SpeakerName | undefined,
  line: number,
  reader: Reader
): ReadonlyArray<SpokenCue> => {
  const { settings } = reader
  const music = withoutMusic(text, settings.music ?? "skip")
  const turns = speakerTurns(music.text, reader.survey)
  return turns.map((turn, i) => {
    const directives = extractDirectives(turn.text)
    for (const fault of directives.faults)
      reader.notices.push(Notice.make({ line, message: `skipped ${fault}` }))
    const speaker = speakerOf(
      directives.overrides.speaker ?? turn.speaker ?? formatSpeaker,
      turn.changed || (turns.length > 1 && i > 0),
      reader
    )
    const sounds = withoutSounds(directives.text, settings.soundEffects ?? "skip")
    const words = directives.overrides.say ?? sounds.text
    const said = cleanLine(sayBy(reader.lexicon, cleanLine(words, reader.vocabulary)), reader.vocabulary)
    if (said === "" && i === turns.length - 1 && turn.speaker !== undefined && turn.text === "")
      reader.announced = speaker
    const left = music.music ? "music" : sounds.sounds ? "sound-effect" : undefined
    return { speaker, said: isPronounceable(said) ? said : "", overrides: directives.overrides, left }
  })
}

/**
 * Returns the named speaker, else the one that the previous label announced. Else, with `stickySpeakers`, returns the
 * last speaker, unless a mark says that the speaker changed.
 */
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

/** One speaker's part of a cue's text. */
interface SpokenTurn {
  /** The speaker named by a label. */
  readonly speaker: string | undefined
  /** Whether a label or mark says that the speaker changed. */
  readonly changed: boolean
  /** Its lines, without label and marks; empty if a label at the cue's end announces the next cue's speaker. */
  readonly text: string
}

/**
 * A dash that begins a turn; not a minus, a double dash (broken-off sentence) or a lower-case afterthought. Before a
 * lower-case word, see {@link answers}.
 */
const dash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?!\p{Ll})(?=\S)/u
const anyDash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?=\S)/u
const arrows = /^\s*>{2,}\s*/u

/** Splits a cue's text into turns. Without a survey, labels are text. */
const speakerTurns = (text: string, survey: LabelSurvey | undefined): ReadonlyArray<SpokenTurn> => {
  const lines = text.split("\n").flatMap(atArrows)
  const dashed = lines.filter((line) => dash.test(line)).length
  const answered = lines.some((_, at) => answers(lines, at))
  const dialogue = answered || dashed > 1 || (dashed === 1 && !dash.test(lines[0] ?? ""))
  const turns: Array<{ speaker: string | undefined; changed: boolean; lines: Array<string> }> = []
  const begin = (line: string, marked: boolean): void => {
    const directives = leadingDirectives(line)
    const label = survey === undefined ? undefined : labelAt(line.slice(directives.length), survey, marked)
    const last = turns.at(-1)
    if (label === undefined && !marked && last !== undefined) last.lines.push(line)
    else
      turns.push({
        speaker: label?.name,
        changed: marked || label !== undefined,
        lines: [label === undefined ? line : directives + label.rest]
      })
  }
  for (const [at, line] of lines.entries()) {
    const begins = dash.test(line) || answers(lines, at) || (answered && at === 0)
    const marked = arrows.test(line) || (dialogue && begins)
    const words = line.replace(arrows, "")
    const bare = marked || turns.length === 0 ? words.replace(anyDash, "") : words
    for (const [i, piece] of pieces(bare, survey, dashed > 0).entries())
      begin(piece.text, piece.marked || (marked && i === 0))
  }
  return turns.map((turn) => ({
    speaker: turn.speaker,
    changed: turn.changed,
    text: turn.lines.join("\n").trim()
  }))
}

/** Whether a line begins with a dash, like its cue, and follows a line that ends a sentence. */
const answers = (lines: ReadonlyArray<string>, at: number): boolean =>
  at > 0 &&
  anyDash.test(lines[at] ?? "") &&
  anyDash.test(lines[0] ?? "") &&
  endsSentence((lines[at - 1] ?? "").replace(noteAtEnd, ""))

/** A sound in brackets after a sentence: "Who is there? (knocking)". */
const noteAtEnd = /\s*[[(][^[\]()]*[\])]\s*$/u

const atArrows = (line: string): ReadonlyArray<string> =>
  line.includes(">>") ? line.split(/(?<=\S)\s*(?=>>)(?<!>)/u) : [line]

/**
 * Splits a line where the speaker changes within it. That is after the end of a sentence, at a dash (if the cue uses
 * dashes) or at a label in capitals.
 */
const pieces = (
  line: string,
  survey: LabelSurvey | undefined,
  dashes: boolean
): ReadonlyArray<{ readonly text: string; readonly marked: boolean }> => {
  const found: Array<{ text: string; marked: boolean }> = []
  let from = 0
  for (const match of line.matchAll(/[.?!…。！？]["”’)\]]*\s+/gu)) {
    const at = match.index + match[0].length
    const behind = line.slice(at, at + 80)
    const marked = dashes && /^[-\u2010-\u2015]\s+(?!\p{Ll})\S/u.test(behind)
    const named =
      survey !== undefined &&
      !survey.capitals &&
      isCapitals(/^[^:]*/u.exec(behind)?.[0] ?? "") &&
      labelAt(behind, survey, true) !== undefined
    if ((!marked && !named) || !endsSentence(line.slice(from, at))) continue
    found.push({ text: line.slice(from, at).trim(), marked: from > 0 })
    from = at + (marked ? (/^[-\u2010-\u2015]\s+/u.exec(behind)?.[0].length ?? 0) : 0)
  }
  found.push({ text: line.slice(from).trim(), marked: from > 0 })
  return found
}
