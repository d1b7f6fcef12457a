/** Computes when each element of a TTML document is active (https://www.w3.org/TR/ttml2/#timing-semantics). */
import { type Interval, shared } from "./TtmlStyles.ts"
import { type TtmlClock, ttmlTime } from "./TtmlClock.ts"
import { elementsOf, elementsNamed, type XmlElement } from "./XmlTree.ts"

/** Reads the times of one document. */
export interface TtmlTimes {
  /** The active interval of a child of an element that is active in `parent`; `after` is the end of its sibling. */
  readonly of: (element: XmlElement, parent: Interval, isSequence: boolean, after: number) => Interval
  /** Time expressions that could not be read, and negative starts, by element. */
  readonly unread: ReadonlyMap<XmlElement, string>
  /** The start of an element if it cannot be read, or is before zero like the end. */
  readonly damaged: (element: XmlElement) => string | undefined
  /** Elements outside the times of the elements around them, which are never shown. */
  readonly outside: ReadonlySet<XmlElement>
  /** Whether nested times count from the start of the file, against the standard. */
  readonly isAbsolute: boolean
}

const timed = new Set(["body", "div", "p", "span", "set", "region", "br"])

/** Returns the times of a document. */
export const timesOf = (root: XmlElement, clock: TtmlClock): TtmlTimes => {
  const unread = new Map<XmlElement, string>()
  const outside = new Set<XmlElement>()
  const time = (element: XmlElement, name: string): number | undefined => {
    const written = element.attributes.get(name)
    if (written === undefined || written.trim() === "") return undefined
    const found = ttmlTime(written, clock)
    const isUnread = found === undefined && !/^indefinite$/iu.test(written.trim())
    if (isUnread || (found !== undefined && found < 0 && name === "begin")) unread.set(element, written)
    return found
  }
  const damaged = ({ attributes }: XmlElement): string | undefined => {
    const [begin, end, dur] = ["begin", "end", "dur"].map((name) => attributes.get(name))
    if (begin === undefined || begin.trim() === "indefinite") return undefined
    const start = ttmlTime(begin, clock)
    const until = ttmlTime(end ?? "", clock) ?? (start ?? 0) + (ttmlTime(dur ?? "", clock) ?? 0)
    return start === undefined || (start < 0 && until < 0) ? begin : undefined
  }
  const isAbsolute = countsFromFileStart(root, time)
  const of: TtmlTimes["of"] = (element, parent, isSequence, after) => {
    const base = isSequence ? after : parent.start
    const origin = isAbsolute ? 0 : base
    const begin = time(element, "begin")
    const start = begin === undefined ? base : origin + begin
    const end = time(element, "end")
    const length = time(element, "dur")
    const limits = [
      end === undefined ? Infinity : origin + end,
      length === undefined ? Infinity : start + length
    ]
    const stated = Math.min(...limits)
    const own = Number.isFinite(stated) ? stated : isSequence ? start + lengthOf(element, time) : Infinity
    const until = parent.end < parent.start ? Infinity : parent.end
    // An end before the start is a fault of the file. Paragraphs keep it for a notice.
    if (own < start) return { start, end: element.name === "p" || element.name === "span" ? own : until }
    const active = shared({ start, end: own }, { start: parent.start, end: until })
    if (active.end <= active.start && own > start && !(begin !== undefined && begin < 0)) outside.add(element)
    return active
  }
  return { of, unread, damaged, outside, isAbsolute }
}

type Time = (element: XmlElement, name: string) => number | undefined

/** The length of an element that states none: as long as its children take; text takes forever. */
const lengthOf = (element: XmlElement, time: Time): number => {
  if (element.name === "br") return 0
  const isSequence = element.attributes.get("timeContainer") === "seq"
  if (!isSequence && element.children.some((child) => typeof child === "string" && child.trim() !== ""))
    return element.name === "p" || element.name === "span" ? Infinity : 0
  let total = 0
  for (const child of elementsOf(element).filter(({ name }) => timed.has(name) && name !== "set")) {
    const begin = time(child, "begin") ?? 0
    const end = time(child, "end")
    const dur = time(child, "dur")
    const length =
      end === undefined && dur === undefined
        ? begin + lengthOf(child, time)
        : Math.min(end ?? Infinity, dur === undefined ? Infinity : begin + dur)
    total = isSequence ? total + length : Math.max(total, length)
  }
  return total
}

/**
 * Whether children of timed parents count from the start of the file, as lyrics of Apple Music do. Read by the
 * standard, they would begin after their parents' ends.
 */
const countsFromFileStart = (root: XmlElement, time: Time): boolean => {
  const evidence = { for: 0, against: 0 }
  const visit = (parent: XmlElement, start: number, end: number): void => {
    for (const child of elementsOf(parent)) {
      const begin = time(child, "begin")
      const until = time(child, "end") ?? Infinity
      if (begin !== undefined && start > 0 && child.name !== "set") {
        if (start + begin >= end && begin >= start && begin < end) evidence.for++
        else if (begin < start) evidence.against++
      }
      visit(child, Math.max(start, begin ?? start), Math.min(end, until))
    }
  }
  const [body] = elementsNamed(root, "body")
  if (body !== undefined && body.attributes.get("timeContainer") !== "seq") visit(body, 0, Infinity)
  return evidence.for > evidence.against
}
