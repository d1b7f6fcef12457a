/**
 * Who says what in one cue: dashes, `>>` and labels at the start of lines, and names in capitals inside of them.
 */
import { labelAt, type LabelSurvey } from "./SpeakerLabels.ts"
import { leadingDirectives } from "../markup/InlineDirectives.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"
import { isCapitals } from "../language/WritingSystems.ts"

/** One speaker's share of a cue's text. */
export interface SpokenTurn {
  /** The speaker that a label names. */
  readonly speaker: string | undefined
  /** Whether the text itself says that someone else speaks now, by name or by a mark. */
  readonly changed: boolean
  /** Its lines, without label and marks; empty where a label stands at the cue's end, for the next cue. */
  readonly text: string
}

/**
 * A dash that begins someone's words: not a minus, not the double dash of a broken-off sentence, not a lower-case
 * afterthought.
 */
const dash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?!\p{Ll})(?=\S)/u
const anyDash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?=\S)/u
const arrows = /^\s*>{2,}\s*/u

/** Splits a cue's text. Without a survey labels are text. */
export const speakerTurns = (text: string, survey: LabelSurvey | undefined): ReadonlyArray<SpokenTurn> => {
  const lines = text.split("\n").flatMap(atArrows)
  const dashed = lines.filter((line) => dash.test(line)).length
  const dialogue = dashed > 1 || (dashed === 1 && !dash.test(lines[0] ?? ""))
  const turns: Array<{ speaker: string | undefined; changed: boolean; lines: Array<string> }> = []
  const begin = (line: string, marked: boolean): void => {
    const wishes = leadingDirectives(line)
    const label = survey === undefined ? undefined : labelAt(line.slice(wishes.length), survey, marked)
    const last = turns.at(-1)
    if (label === undefined && !marked && last !== undefined) last.lines.push(line)
    else
      turns.push({
        speaker: label?.name,
        changed: marked || label !== undefined,
        lines: [label === undefined ? line : wishes + label.rest]
      })
  }
  for (const line of lines) {
    const marked = arrows.test(line) || (dialogue && dash.test(line))
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

const atArrows = (line: string): ReadonlyArray<string> =>
  line.includes(">>") ? line.split(/(?<=\S)\s*(?=>>)(?<!>)/u) : [line]

/**
 * Speakers that change inside a line: behind a sentence's end, by a dash where the cue has dashes, or by a name in
 * capitals.
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
