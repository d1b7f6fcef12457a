/** Advanced and plain SubStation Alpha files to cues, through `ass-compiler`. */
import { parse, type ParsedASSEvent } from "ass-compiler"
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { Cue, LostCue, Notice, ScriptFault, Subtitle } from "../../domain/speech/Cue.ts"
import { millis } from "../../domain/time/Units.ts"
import { excerpt } from "../markup/CueLines.ts"
import { turnsOfMarkup } from "../markup/CueMarkup.ts"
import { inOrder, cueVoices } from "../markup/CueVoices.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { isInlineDirective } from "../markup/InlineDirectives.ts"
import { longestTime } from "./TimingLine.ts"

/**
 * Reads a file's text. Comments, drawings and style codes are not text; a line whose time cannot be read is told
 * and passed over.
 */
export const readAss = (text: string): Either.Either<Subtitle, NonEmptyReadonlyArray<ScriptFault>> => {
  const mended = repaired(text)
  const events = parse(mended.text).events.dialogue
  const cues: Array<Cue> = []
  const notices = [...mended.notices]
  const faults = [...mended.faults]
  const lost: Array<LostCue> = []
  let before = millis(0)
  events.forEach((event, i) => {
    const { line, written } = mended.lines[i] ?? { line: 1, written: "" }
    const start = Math.round(event.Start * 1000)
    const end = Math.round(event.End * 1000)
    if (!(start >= 0 && start < longestTime && Math.abs(end) < longestTime)) {
      const found = excerpt(event.Text?.raw ?? written)
      const expected = "expected a start and an end such as 0:00:01.00,0:00:02.50"
      faults.push(ScriptFault.make({ line, found, expected }))
      const times = { start: before, end: before }
      const why = `"${found}": ${expected}`
      const words = (event.Text ?? null) === null ? { text: lastField(written) } : wordsOf(event)
      lost.push(LostCue.make({ index: i + 1, ...times, line, why, ...words }, skipValidation))
      return
    }
    before = millis(Math.max(start, end))
    if (end < start)
      notices.push(Notice.make({ line, message: "the event ends before it starts: its end was left open" }))
    cues.push(
      Cue.make(
        {
          index: i + 1,
          start: millis(start),
          end: before,
          line,
          ...styleOf(event),
          ...wordsOf(event)
        },
        skipValidation
      )
    )
  })
  mended.unread.forEach(({ line, written }, i) => {
    const why = `"${excerpt(written)}": expected a Format line above it that names ${needed.join(", ")}`
    const times = { start: before, end: before }
    lost.push(
      LostCue.make(
        { index: events.length + i + 1, ...times, line, why, text: lastField(written) },
        skipValidation
      )
    )
  })
  if (cues.length === 0 && isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  if (cues.length === 0 && !mended.events)
    return Either.left([
      ScriptFault.make({
        line: 1,
        found: excerpt(text),
        expected: "no [Events] section with Dialogue lines found: expected an ASS or SSA file"
      })
    ])
  for (const fault of faults)
    notices.push(
      Notice.make({ line: fault.line, message: `passed over: ${fault.expected}; "${fault.found}"` })
    )
  return Either.right(
    Subtitle.make({
      format: "ass",
      cues: inOrder(cues),
      lost,
      notices: notices.sort((a, b) => a.line - b.line)
    })
  )
}

/** What an event says, and who. */
const wordsOf = (event: ParsedASSEvent) => {
  const speaker = speakerOf(event)
  const turns = turnsOfMarkup(spokenText(event))
  return {
    ...(isSung(event) ? { sung: true as const } : {}),
    ...cueVoices(turns.map((turn) => ({ speaker: turn.speaker ?? speaker, text: turn.text })))
  }
}

/**
 * The words of an event whose columns are not known or not all there: its last field, where that is none of the times.
 */
const lastField = (written: string): string => {
  const last = written.split(",").slice(-1).join()
  return /\p{L}{2}/u.test(last) ? last.trim() : ""
}

/**
 * What the parser takes: one line per event in the order of `lines`, a Format line before them, times with a dot.
 */
interface Repaired {
  readonly text: string
  readonly lines: ReadonlyArray<WrittenEvent>
  /** Events below a Format line that is of no use. */
  readonly unread: ReadonlyArray<WrittenEvent>
  readonly notices: ReadonlyArray<Notice>
  /** Format lines without a column that is needed: what stands below them cannot be read. */
  readonly faults: ReadonlyArray<ScriptFault>
  /** Whether there is an Events section at all. */
  readonly events: boolean
}

/** A Dialogue as the file has it. */
interface WrittenEvent {
  /** From 1. */
  readonly line: number
  /** What stands behind `Dialogue:`. */
  readonly written: string
}

const commonFormat = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

const repaired = (text: string): Repaired => {
  const kept: Array<string> = ["[Events]"]
  const lines: Array<WrittenEvent> = []
  const unread: Array<WrittenEvent> = []
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
    } else if (inside && /^format\s*:/iu.test(line)) {
      columns = columnsOf(line)
      const named = columns
      const missing = needed.filter((column) => !named.includes(column))
      readable = missing.length === 0
      if (readable) kept.push(`Format: ${columns.join(", ")}`)
      else
        faults.push(
          ScriptFault.make({
            line: i + 1,
            found: excerpt(line),
            expected: `the Format of [Events] names no ${missing.join(" and no ")}: the lines below it cannot be read`
          })
        )
    } else if (inside && /^dialogue\s*:/iu.test(line)) {
      const event = line.replace(/^dialogue\s*:\s*/iu, "")
      if (!readable) {
        unread.push({ line: i + 1, written: event })
        return
      }
      if (columns === undefined) {
        columns = columnsOf(commonFormat)
        kept.push(commonFormat)
        notices.push(
          Notice.make({
            line: i + 1,
            message: "the Format line of [Events] is missing: the usual columns were taken"
          })
        )
      }
      kept.push(`Dialogue: ${heldOverrides(closedBraces(dottedTimes(event, columns)))}`)
      lines.push({ line: i + 1, written: event })
    }
  })
  return { text: kept.join("\n"), lines, unread, notices, faults, events }
}

/** Without these an event says nothing. */
const needed = ["Start", "End", "Text"]

const columnsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^format\s*:\s*/iu, "")
    .split(",")
    .map((written) => {
      const column = written.trim()
      const known = [...needed, "Name", "Actor", "Style"].find(
        (name) => name.toLowerCase() === column.toLowerCase()
      )
      return known === "Actor" ? "Name" : (known ?? column)
    })

/** `0:00:13:56` means hundredths, as `0:00:13.56` does. */
const dottedTimes = (event: string, columns: ReadonlyArray<string>): string => {
  const fields = event.split(",")
  for (const column of ["Start", "End"]) {
    const at = columns.indexOf(column)
    const field = fields[at]
    if (at >= 0 && field !== undefined)
      fields[at] = field.trim().replace(/^(\d+:\d{1,2}:\d{1,2})[:,](\d+)$/u, "$1.$2")
  }
  return fields.join(",")
}

/**
 * Braces that nothing closes, by the hundred, are no codes; the parser would look for the end of each through all
 * that follows.
 */
const closedBraces = (event: string): string =>
  (event.match(/\{/gu)?.length ?? 0) > 500 ? event.replace(/\{(?=[^{}]*(?:\{|$))/gu, "") : event

const [heldOpen, heldClose] = ["\ue000", "\ue001"] as const

/**
 * Overrides of ours stand in braces as ASS's own codes do: they are held apart from those while the parser is at
 * work.
 */
const heldOverrides = (event: string): string =>
  event.replace(/\{([^{}]*)\}/gu, (whole, inner: string) =>
    isInlineDirective(inner) ? `${heldOpen}${inner}${heldClose}` : whole
  )

/** The event's words: a drawing (`\p1` up to `\p0`) is none. */
const spokenText = (event: ParsedASSEvent): string => {
  let drawing = false
  let text = ""
  for (const fragment of event.Text?.parsed ?? []) {
    for (const tag of fragment.tags) if (tag.p !== undefined) drawing = tag.p > 0
    if (!drawing) text += fragment.text
  }
  return text.replaceAll(heldOpen, "{").replaceAll(heldClose, "}")
}

/**
 * Whether an event is a song: timed by syllables (`\\k`), or one of the pieces that a karaoke's effects are made of.
 */
const isSung = ({ Effect: effect, Text: text }: ParsedASSEvent): boolean =>
  /^(?:fx|karaoke)$/iu.test(effect?.name ?? "") || /\{[^{}]*\\[kK][fot]?\d/u.test(text?.raw ?? "")

/** The Style column; an asterisk before a name means the same as none. */
const styleOf = ({ Style: style }: ParsedASSEvent): { readonly style?: string } => {
  const name = style?.trim().replace(/^\*/u, "") ?? ""
  return name === "" ? {} : { style: name }
}

/** The Name column; `NTP` is what the first SubStation Alpha wrote for nobody. */
const speakerOf = (event: ParsedASSEvent): string | undefined => {
  const name = event.Name?.replace(/\s+/gu, " ").trim() ?? ""
  return name === "" || name === "NTP" ? undefined : name
}
