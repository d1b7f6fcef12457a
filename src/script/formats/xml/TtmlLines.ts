/** Walks the body of a TTML document: collects the text of each paragraph with its times and speakers. */
import type { MarkedTurn } from "../../markup/CueMarkup.ts"
import type { LostBlock } from "../cues/LostBlocks.ts"
import { type TimedLine, unreadLine } from "../timed/TimedLines.ts"
import { type DaptScript, speakersIn } from "./DaptScript.ts"
import { type Interval, shared, shownWithin, type StyleLookup } from "./TtmlStyles.ts"
import type { TtmlTimes } from "./TtmlTimes.ts"
import { elementsNamed, elementsOf, type XmlElement } from "./XmlTree.ts"

/** The times, styles and languages of a document. */
export interface TtmlContext {
  readonly times: TtmlTimes
  readonly styles: StyleLookup
  readonly dapt: DaptScript
}

/** Lines, and the omitted parts. */
export interface TtmlLines {
  readonly lines: ReadonlyArray<TimedLine | LostBlock>
  /** Lines (from 1) of texts in other languages than the chosen one. */
  readonly otherLanguages: ReadonlyArray<number>
  /** Lines (from 1) of paragraphs outside their parents' times. */
  readonly outside: ReadonlyArray<number>
}

/** The properties that an element inherits. */
interface Inherited {
  readonly active: Interval
  /** The start that cannot be read, of the element or one around it. */
  readonly damaged: string | undefined
  /** When it is displayed; undefined if it never is. */
  readonly shown: Interval
  /** When its text is visible; a descendant may override it. */
  readonly visible: Interval | undefined
  readonly region: string | undefined
  readonly speaker: string | undefined
  readonly keepsSpace: boolean
  readonly language: string | undefined
  readonly represents: string | undefined
  readonly role: string
}

/** A piece of text with one time and one speaker. */
interface Piece extends Interval {
  readonly text: string
  readonly speaker: string | undefined
  readonly role: string
}

/** Times closer than this belong to one line, in milliseconds. */
const shortGap = 300

const content = /^(?:http:\/\/www\.w3\.org\/(?:ns\/ttml|20\d\d\/\d\d\/ttaf1))?$/u

const isContent = ({ name, namespace }: XmlElement, ...names: ReadonlyArray<string>): boolean =>
  names.includes(name) && content.test(namespace)

/** A paragraph that is not closed contains the next ones. */
const unnested = (element: XmlElement): ReadonlyArray<XmlElement> =>
  element.name === "p" ? elementsNamed(element, "p") : [element]

/** Returns the lines of a document in document order. */
export const ttmlLines = (root: XmlElement, { times, styles, dapt }: TtmlContext): TtmlLines => {
  const lines: Array<TimedLine | LostBlock> = []
  const otherLanguages: Array<number> = []
  const outside: Array<number> = []
  const speakerOf = speakersIn(root)
  const regions = new Map(
    elementsNamed(root, "region").map((region) => [region.attributes.get("xml:id") ?? "", region])
  )
  const timed = elementsNamed(root, "p").map(({ attributes }) => attributes.has("begin"))
  const mostTimed = timed.filter((has) => has).length * 2 > timed.length
  const setTimes = (set: XmlElement, active: Interval): Interval => times.of(set, active, false, active.start)

  /** When a region shows its content. */
  const regionShows = (id: string | undefined, within: Interval): Interval | undefined => {
    const region = id === undefined ? undefined : regions.get(id)
    if (region === undefined) return within
    const active = times.of(region, { start: 0, end: Infinity }, false, 0)
    const displayed = shownWithin(region, active, "display", styles, setTimes)
    const opaque = shownWithin(region, active, "opacity", styles, setTimes)
    return displayed === undefined || opaque === undefined
      ? undefined
      : shared(within, shared(displayed, opaque))
  }

  /** Returns the properties that an element's children inherit; undefined if it is never displayed. */
  const entered = (element: XmlElement, above: Inherited, active: Interval): Inherited | undefined => {
    const displayed = shownWithin(element, active, "display", styles, setTimes)
    const opaque = shownWithin(element, active, "opacity", styles, setTimes)
    if (displayed === undefined || opaque === undefined) return undefined
    const { attributes } = element
    const space = attributes.get("xml:space")
    const saysVisibility =
      styles(element, "visibility") !== undefined ||
      elementsOf(element).some((set) => set.name === "set" && set.attributes.has("visibility"))
    return {
      active,
      damaged: above.damaged ?? times.damaged(element),
      shown: shared(shared(above.shown, active), shared(displayed, opaque)),
      visible: saysVisibility
        ? shownWithin(element, active, "visibility", styles, setTimes, above.visible === undefined)
        : above.visible,
      region: attributes.get("region") ?? above.region,
      speaker: speakerOf(attributes.get("agent")) ?? above.speaker,
      keepsSpace: space === undefined ? above.keepsSpace : space === "preserve",
      language: attributes.get("xml:lang") ?? above.language,
      represents: attributes.get("represents") ?? above.represents,
      role: attributes.get("role") ?? above.role
    }
  }

  const pieces = (element: XmlElement, state: Inherited, into: Array<Piece>): void => {
    const isSequence = element.attributes.get("timeContainer") === "seq"
    let after = state.active.start
    for (const child of element.children) {
      if (typeof child === "string") {
        // In a sequence, text has no time of its own, but space between words stays.
        if ((isSequence && child.trim() !== "") || state.visible === undefined) continue
        const text = withoutTags(state.keepsSpace ? child : child.replace(/[ \t\r\n]+/gu, " "))
        const shown = shared(state.shown, state.visible)
        into.push({ ...shown, text, speaker: state.speaker, role: state.role })
      } else if (isContent(child, "br")) {
        into.push({ ...state.shown, text: "\n", speaker: state.speaker, role: state.role })
      } else if (isContent(child, "span")) {
        const active = times.of(child, state.active, isSequence, after)
        after = active.end
        if (times.outside.has(child)) continue
        if (/^(?:text|textContainer|delimiter)$/u.test(styles(child, "ruby") ?? "")) continue
        const inner = entered(child, state, active)
        if (inner !== undefined) pieces(child, inner, into)
      }
    }
  }

  const paragraph = (element: XmlElement, state: Inherited): void => {
    const spans = elementsNamed(element, "span")
    const damaged = [state.damaged, ...spans.map(times.damaged)].find((start) => start !== undefined)
    const region = regions.get(state.region ?? "")
    const parts = [element, ...(region === undefined ? [] : [region]), ...spans].flatMap((part) => [
      part,
      ...elementsOf(part)
    ])
    const states = (...names: ReadonlyArray<string>): boolean =>
      parts.some(({ attributes }) => names.some((name) => attributes.has(name)))
    // A paragraph without a begin starts with the file: the first one may.
    const lacksTimes =
      mostTimed &&
      !states("begin") &&
      state.active.start === 0 &&
      ((state.active.end === Infinity && !states("end", "dur")) ||
        lines.some((line) => "start" in line && line.start > 0))
    const all: Array<Piece> = []
    pieces(element, state, all)
    if (damaged !== undefined || lacksTimes) {
      const expected = "expected a begin such as 00:00:01.500, 00:00:01:12 or 1.5s"
      const words = all.map(({ text }) => text).join("")
      lines.push(unreadLine(element.line, damaged ?? words, expected, words))
      return
    }
    const spoken = dapt.isSpoken(state.represents)
    let missed = false
    for (const group of groupsOf(all)) {
      const shown = regionShows(state.region, group.interval)
      const { start, end } = shown ?? { start: 0, end: -1 }
      // An end before the start is the paragraph's own fault, which a notice reports; else nothing is shown.
      const isFault = state.active.end < state.active.start
      if (!isFault && end <= start && (shown === undefined || state.active.end > state.active.start)) {
        missed = true
        continue
      }
      const role = group.pieces[0]?.role ?? ""
      lines.push({
        line: element.line,
        start,
        end: Number.isFinite(end) ? end : undefined,
        turns: turnsOf(group.pieces, spoken ? role : "sound"),
        ...(/\blyrics\b/u.test(role) ? { sung: true } : {})
      })
    }
    if (missed) outside.push(element.line)
  }

  const walk = (parent: XmlElement, state: Inherited): void => {
    const isSequence = parent.attributes.get("timeContainer") === "seq"
    const blocks = elementsOf(parent)
      .flatMap(unnested)
      .filter((child) => isContent(child, "div", "p"))
    const texts = blocks.filter(({ name }) => name === "p")
    const chosen = dapt.chosen(texts, state.language)
    const versions = dapt.versions(blocks.filter(({ name }) => name === "div"))
    let after = state.active.start
    for (const child of blocks) {
      const active = times.of(child, state.active, isSequence, after)
      after = active.end
      if (times.outside.has(child)) {
        outside.push(child.line)
        continue
      }
      const inner = entered(child, state, active)
      if (inner === undefined) continue
      if (child.name === "div" && versions.has(child)) walk(child, inner)
      else if (chosen.has(child)) paragraph(child, inner)
      else otherLanguages.push(child.line)
    }
  }

  const all = { start: 0, end: Infinity }
  const [body] = elementsOf(root).filter((child) => isContent(child, "body"))
  if (body !== undefined) {
    const { attributes } = root
    const top: Inherited = {
      active: all,
      damaged: undefined,
      shown: all,
      visible: all,
      region: undefined,
      speaker: undefined,
      keepsSpace: attributes.get("xml:space") === "preserve",
      language: attributes.get("xml:lang"),
      represents: undefined,
      role: ""
    }
    const state = entered(body, top, times.of(body, all, false, 0))
    if (state !== undefined) walk(body, state)
  }
  return { lines, otherLanguages, outside }
}

/**
 * Hides text that only looks like a tag, because XML has already decoded the text. Real tags stay: careless converters
 * escape whole tags of subtitles, such as `&lt;i&gt;`.
 */
const withoutTags = (text: string): string =>
  text.replace(/<(?!\/?(?:[a-z][^\s<>]*|font\s[^<>]*)>)/giu, "&lt;")

interface Group {
  readonly interval: Interval
  readonly pieces: ReadonlyArray<Piece>
}

/** Joins pieces of one paragraph that are shown together or follow each other closely. */
const groupsOf = (all: ReadonlyArray<Piece>): ReadonlyArray<Group> => {
  const groups: Array<{ interval: Interval; pieces: Array<Piece> }> = []
  for (const piece of all) {
    const last = groups.at(-1)
    if (piece.text.trim() === "") {
      last?.pieces.push(piece)
      continue
    }
    const { start, end } = piece
    const near =
      last !== undefined && start <= last.interval.end + shortGap && last.interval.start <= end + shortGap
    if (last !== undefined && near) {
      last.interval = { start: Math.min(last.interval.start, start), end: Math.max(last.interval.end, end) }
      last.pieces.push(piece)
    } else groups.push({ interval: { start, end }, pieces: [piece] })
  }
  return groups
}

/**
 * Returns the speaker turns of a line's pieces. Sounds and music get the marks that subtitles use for them, so that the
 * same rules apply.
 */
const turnsOf = (pieces: ReadonlyArray<Piece>, role: string): ReadonlyArray<MarkedTurn> => {
  const turns: Array<{ speaker: string | undefined; text: string }> = []
  for (const { speaker, text } of pieces) {
    const last = turns.at(-1)
    if (last !== undefined && (last.speaker === speaker || text.trim() === "")) last.text += text
    else turns.push({ speaker, text })
  }
  const tidied = turns.map(({ speaker, text }) => ({
    speaker,
    text: text
      .replace(/[ \t]+/gu, " ")
      .replace(/ ?\n ?/gu, "\n")
      .trim()
  }))
  if (/\bsound\b/u.test(role))
    return tidied.map(({ text }) => ({ speaker: undefined, text: marked("[", text, "]") }))
  if (/\bmusic\b/u.test(role)) return tidied.map((turn) => ({ ...turn, text: marked("♪ ", turn.text, " ♪") }))
  return tidied
}

/** Puts text between marks unless it has its own. */
const marked = (open: string, text: string, close: string): string =>
  text === "" || /^[[(♪#*]/u.test(text) ? text : `${open}${text.replace(/\n/gu, " ")}${close}`
