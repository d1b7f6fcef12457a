/** Parses SubStation Alpha files (ASS and SSA) into cues, using `ass-compiler`. */
import { parse, type ParsedASSEvent } from "ass-compiler"
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import {
  Cue,
  LostCue,
  Subtitle,
  noticeAt,
  type Notice,
  faultAt,
  type ScriptFault
} from "../../domain/speech/Cue.ts"
import { millis } from "../../domain/time/Units.ts"
import { excerpt } from "../markup/CueLines.ts"
import { turnsOfMarkup } from "../markup/CueMarkup.ts"
import { inOrder, cueVoices } from "../markup/CueVoices.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { isInlineDirective } from "../markup/InlineDirectives.ts"
import { maxTime, startsBeforeZero } from "./cues/TimingLine.ts"
import { endBehind } from "./timed/PlausibleTimes.ts"

/**
 * Parses a file's text. Comments, drawings and style codes are dropped. An event with an unreadable time is skipped
 * with a notice and listed in `lost`.
 */
export const readAss = (text: string): Either.Either<Subtitle, NonEmptyReadonlyArray<ScriptFault>> => {
  const repairedText = repaired(text)
  const events = parse(repairedText.text).events.dialogue
  const cues: Array<Cue> = []
  const notices = [...repairedText.notices]
  const faults = [...repairedText.faults]
  const lost: Array<LostCue> = []
  let before = millis(0)
  const lose = (index: number, line: number, why: string, words: ReturnType<typeof cueVoices>): void => {
    lost.push(LostCue.make({ index, start: before, end: before, line, why, ...words }, skipValidation))
  }
  events.forEach((event, i) => {
    const { line, written } = repairedText.lines[i] ?? { line: 1, written: "" }
    const start = Math.round(event.Start * 1000)
    const end = endBehind(start, Math.round(event.End * 1000))
    const isTimed = start >= 0 && start < maxTime && Math.abs(end) < maxTime
    const isWhole = (event.Text ?? null) !== null || lastField(written) === ""
    if (!isTimed || !isWhole) {
      const found = excerpt(event.Text?.raw ?? written)
      const expected = isTimed
        ? "expected a field for each column of the Format line"
        : "expected start and end times such as 0:00:01.00,0:00:02.50"
      faults.push(faultAt(line, found, expected))
      const words = (event.Text ?? null) === null ? { text: lastField(written) } : wordsOf(event)
      lose(i + 1, line, `"${found}": ${expected}`, words)
      return
    }
    before = millis(Math.max(start, end))
    if (end < start) notices.push(noticeAt(line, "the event ends before it starts; its end was ignored"))
    const times = { start: millis(start), end: before }
    cues.push(
      Cue.make({ index: i + 1, ...times, line, ...styleOf(event), ...wordsOf(event) }, skipValidation)
    )
  })
  repairedText.unread.forEach(({ line, written, expected }, i) => {
    const why = `"${excerpt(written)}": ${expected}`
    lose(events.length + i + 1, line, why, { text: lastField(written) })
  })
  if (cues.length === 0 && isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  if (cues.length === 0 && !repairedText.events)
    return Either.left([
      faultAt(1, excerpt(text), "no [Events] section with Dialogue lines found; expected an ASS or SSA file")
    ])
  for (const fault of faults)
    notices.push(noticeAt(fault.line, `skipped "${fault.found}": ${fault.expected}`))
  return Either.right(
    Subtitle.make({
      format: "ass",
      cues: inOrder(cues),
      lost,
      notices: notices.sort((a, b) => a.line - b.line)
    })
  )
}

/** Returns an event's text, speakers and whether it is sung. */
const wordsOf = (event: ParsedASSEvent) => {
  const speaker = speakerOf(event)
  const turns = turnsOfMarkup(spokenText(event))
  return {
    ...(isSung(event) ? { sung: true as const } : {}),
    ...cueVoices(turns.map((turn) => ({ speaker: turn.speaker ?? speaker, text: turn.text })))
  }
}

/** Returns the text of an event with unknown or missing columns: its last field, if that contains a word. */
const lastField = (written: string): string => {
  const last = written.split(",").slice(-1).join()
  return /\p{L}{2}/u.test(last) ? last.trim() : ""
}

/** The file as `ass-compiler` accepts it: a Format line, then one line per event in `lines` order, times with dots. */
interface Repaired {
  readonly text: string
  readonly lines: ReadonlyArray<WrittenEvent>
  /** Events below an unusable Format line, and lines that are no event. */
  readonly unread: ReadonlyArray<WrittenEvent & { readonly expected: string }>
  readonly notices: ReadonlyArray<Notice>
  /** Format lines that lack a required column; events below them cannot be read. */
  readonly faults: ReadonlyArray<ScriptFault>
  /** Whether the file has an [Events] section. */
  readonly events: boolean
}

/** A Dialogue line as written in the file. */
interface WrittenEvent {
  /** From 1. */
  readonly line: number
  /** The text after `Dialogue:`. */
  readonly written: string
}

/** A comment, or an event without words. */
const aside = /^(?:[;!]|(?:comment|picture|sound|movie|command)\s*[:：])/iu

/** The head of an event, also misspelled or without its colon. */
const dialogue = /^dialog(?:ue)?(?:\s*[:;：]\s*|\s+(?=(?:marked\s*=\s*)?\d+\s*,))/iu

const commonFormat = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

const repaired = (text: string): Repaired => {
  const kept: Array<string> = ["[Events]"]
  const lines: Array<WrittenEvent> = []
  const unread: Array<Repaired["unread"][number]> = []
  const notices: Array<Notice> = []
  const faults: Array<ScriptFault> = []
  let events = false
  let inside = false
  let readable = true
  let columns: ReadonlyArray<string> | undefined
  text.split("\n").forEach((written, i) => {
    const line = written.trim()
    if (/^\[.*\]$/u.test(line)) {
      inside = /^\[events\]$/iu.test(line)
      events ||= inside
    } else if (!inside) return
    else if (/^format\s*[:：]/iu.test(line)) {
      columns = columnsOf(line)
      const named = columns
      const missing = needed.filter((column) => !named.includes(column))
      readable = missing.length === 0
      if (readable) kept.push(`Format: ${columns.join(", ")}`)
      else
        faults.push(
          faultAt(
            i + 1,
            excerpt(line),
            `the Format line of [Events] has no ${missing.join(" or ")} column; the lines below it cannot be read`
          )
        )
    } else if (dialogue.test(line)) {
      const event = line.replace(dialogue, "")
      if (!readable) {
        const expected = `expected a Format line above it with the columns ${needed.join(", ")}`
        unread.push({ line: i + 1, written: event, expected })
        return
      }
      if (columns === undefined) {
        columns = columnsOf(commonFormat)
        kept.push(commonFormat)
        notices.push(noticeAt(i + 1, "the [Events] section has no Format line; assumed the usual columns"))
      }
      const dotted = alignedTimes(event, columns)
      if (dotted.startsBeforeZero) notices.push(noticeAt(i + 1, startsBeforeZero))
      kept.push(`Dialogue: ${heldOverrides(closedBraces(dotted.event))}`)
      lines.push({ line: i + 1, written: event })
    } else if (!aside.test(line) && /\p{L}{2}/u.test(line))
      unread.push({ line: i + 1, written: line, expected: 'expected "Dialogue:" before it' })
  })
  return { text: kept.join("\n"), lines, unread, notices, faults, events }
}

/** The required columns. */
const needed = ["Start", "End", "Text"]

const columnsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^format\s*[:：]\s*/iu, "")
    .split(",")
    .map((written) => {
      const column = written.trim()
      const known = [...needed, "Name", "Actor", "Style"].find(
        (name) => name.toLowerCase() === column.toLowerCase()
      )
      return known === "Actor" ? "Name" : (known ?? column)
    })

const clock = /^\s*-?\d+:\d{1,2}:\d{1,2}(?:[.,:]\d+)?\s*$/u

/**
 * Puts an event's times under their columns if it lacks a field before them, or has one too many, and rewrites times
 * such as `0:00:13:56` as `0:00:13.56`: the last field is hundredths of a second. A negative start becomes zero; a
 * negative end stays unreadable, as the parser would drop its sign.
 */
const alignedTimes = (event: string, columns: ReadonlyArray<string>) => {
  const fields = event.split(",")
  const first = columns.indexOf("Start")
  const found = fields.findIndex((field, at) => clock.test(field) && clock.test(fields[at + 1] ?? ""))
  if (columns[first + 1] === "End" && found >= 0 && Math.abs(found - first) === 1)
    if (found < first) fields.unshift("0")
    else fields.splice(first, 1)
  const isNegative = (column: string): boolean =>
    /[-\u2010-\u2015\u2212]/u.test(fields[columns.indexOf(column)] ?? "")
  const startsBeforeZero = isNegative("Start") && !isNegative("End")
  for (const column of ["Start", "End"]) {
    const at = columns.indexOf(column)
    const field = fields[at]
    if (at >= 0 && field !== undefined)
      fields[at] = field.trim().replace(/^(\d+:\d{1,2}:\d{1,2})[:,](\d+)$/u, "$1.$2")
    if (isNegative(column)) fields[at] = startsBeforeZero ? "0:00:00.00" : "before zero"
  }
  return { event: fields.join(","), startsBeforeZero }
}

/**
 * Removes unclosed braces from an event with more than 500 braces. For each, the parser would search the rest of the
 * line: quadratic time.
 */
const closedBraces = (event: string): string =>
  (event.match(/\{/gu)?.length ?? 0) > 500 ? event.replace(/\{(?=[^{}]*(?:\{|$))/gu, "") : event

const [heldOpen, heldClose] = ["\ue000", "\ue001"] as const

/** Hides inline directives from the parser, which would take their braces for ASS override codes, as it would `\{`. */
const heldOverrides = (event: string): string =>
  event
    .replace(/\{([^{}]*)\}/gu, (whole, inner: string) =>
      isInlineDirective(inner) ? `${heldOpen}${inner}${heldClose}` : whole
    )
    .replace(/\\\{([^{}\\]*)\\\}|\\\{(?![^{}]*\})/gu, "$1")

/** The commands of a drawing, which some files lack `\p1` for. */
const isDrawing = (text: string): boolean =>
  /^\s*m(?:\s+-?\d+(?:\.\d+)?){2}(?:\s+(?:[mnlbspc]|-?\d+(?:\.\d+)?))*\s*$/iu.test(text)

/**
 * Returns the event's text without drawings (`\p1` up to `\p0`), and without words that stay transparent, such as those
 * that an animation has not typed yet.
 */
const spokenText = (event: ParsedASSEvent): string => {
  let drawing = false
  let hidden = false
  let text = ""
  for (const fragment of event.Text?.parsed ?? []) {
    for (const tag of fragment.tags) {
      if (tag.p !== undefined) drawing = tag.p > 0
      if (tag.alpha !== undefined) hidden = /^ff$/iu.test(tag.alpha)
      if (tag.r !== undefined) hidden = false
    }
    if (fragment.tags.some((tag) => tag.t !== undefined)) hidden = false
    if (!drawing && !hidden && !isDrawing(fragment.text)) text += fragment.text
  }
  return text
    .replace(/\\[nN]/gu, "\n")
    .replaceAll(heldOpen, "{")
    .replaceAll(heldClose, "}")
}

/** Whether an event is sung: it is timed by syllables (`\\k`) or is part of a karaoke effect. */
const isSung = ({ Effect: effect, Text: text }: ParsedASSEvent): boolean =>
  /^(?:fx|karaoke)$/iu.test(effect?.name ?? "") || /\{[^{}]*\\[kK][fot]?\d/u.test(text?.raw ?? "")

/** The Style column, without a leading asterisk, which has no meaning. */
const styleOf = ({ Style: style }: ParsedASSEvent): { readonly style?: string } => {
  const name = style?.trim().replace(/^\*/u, "") ?? ""
  return name === "" ? {} : { style: name }
}

/** The Name column; the first SubStation Alpha wrote `NTP` for no speaker. */
const speakerOf = (event: ParsedASSEvent): string | undefined => {
  const name = event.Name?.replace(/\s+/gu, " ").trim() ?? ""
  return name === "" || name === "NTP" ? undefined : name
}
