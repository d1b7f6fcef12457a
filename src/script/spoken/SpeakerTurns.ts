/** Splits a cue into speaker turns: at dashes, `>>` and labels, and at names in capitals within lines. */
import { labelAt, type LabelSurvey } from "./SpeakerLabels.ts"
import { leadingDirectives } from "../markup/InlineDirectives.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"
import { isCapitals } from "../language/WritingSystems.ts"

/** One speaker's part of a cue's text. */
export interface SpokenTurn {
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
export const speakerTurns = (text: string, survey: LabelSurvey | undefined): ReadonlyArray<SpokenTurn> => {
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
