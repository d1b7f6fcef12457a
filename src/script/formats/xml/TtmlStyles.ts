/** Resolves the few TTML styles that decide whether text is spoken: those for visibility and ruby. */
import { elementsNamed, elementsOf, type XmlElement } from "./XmlTree.ts"

/** Looks up the specified value of a style property; undefined if the element does not set it. */
export type StyleLookup = (element: XmlElement, property: string) => string | undefined

/** Maximum length of a chain of style references. */
const maxChain = 50

/** Returns the style lookup of a document: inline, nested (in regions), then referenced styles, the last one first. */
export const stylesIn = (root: XmlElement): StyleLookup => {
  const byId = new Map<string, XmlElement>()
  for (const style of elementsNamed(root, "style")) {
    const id = style.attributes.get("xml:id")
    if (id !== undefined && !byId.has(id)) byId.set(id, style)
  }
  const found = (element: XmlElement, property: string, depth: number): string | undefined => {
    const own = element.attributes.get(property)
    if (own !== undefined) return own.trim()
    if (depth > maxChain) return undefined
    const nested = element.name === "region" ? elementsOf(element).filter(({ name }) => name === "style") : []
    const named = (element.attributes.get("style") ?? "").split(/\s+/u).flatMap((id) => byId.get(id) ?? [])
    // A chain that branches at every step would take exponential time.
    const next = depth === 0 ? [...named, ...nested] : named.slice(-2)
    for (const style of next.reverse()) {
      const value = found(style, property, depth + (next.length > 1 && depth > 0 ? 10 : 1))
      if (value !== undefined) return value
    }
    return undefined
  }
  return (element, property) => found(element, property, 0)
}

/** A span of time in milliseconds; the end may be infinite. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** The part that two intervals share; empty (end not after start) if they share none. */
export const shared = (a: Interval, b: Interval): Interval => ({
  start: Math.max(a.start, b.start),
  end: Math.min(a.end, b.end)
})

const hides: Readonly<Record<string, (value: string) => boolean>> = {
  display: (value) => value === "none",
  opacity: (value) => Number(value) === 0,
  visibility: (value) => value === "hidden"
}

/**
 * Returns when an element is shown within its active interval, from its first to its last moment. Its styles and the
 * `set` elements in it decide. Undefined if it is hidden all along.
 */
export const shownWithin = (
  element: XmlElement,
  active: Interval,
  property: "display" | "opacity" | "visibility",
  styles: StyleLookup,
  setTimes: (set: XmlElement, active: Interval) => Interval,
  inheritsHidden = false
): Interval | undefined => {
  const isHidden = hides[property] ?? (() => false)
  const base = styles(element, property)
  const sets = elementsOf(element).flatMap((set) => {
    const value = set.name === "set" ? set.attributes.get(property) : undefined
    return value === undefined ? [] : [{ ...setTimes(set, active), hides: isHidden(value.trim()) }]
  })
  if (base === undefined && sets.length === 0) return active
  const hiddenAtFirst = base === undefined ? inheritsHidden : isHidden(base)
  if (hiddenAtFirst) {
    const shown = sets.filter((set) => !set.hides && set.end > set.start)
    if (shown.length === 0) return undefined
    return {
      start: shown.reduce((least, { start }) => Math.min(least, start), Infinity),
      end: shown.reduce((most, { end }) => Math.max(most, end), 0)
    }
  }
  const all = sets.find((set) => set.hides && set.start <= active.start && set.end >= active.end)
  if (all !== undefined) return undefined
  const first = sets.find((set) => set.hides && set.start <= active.start)
  const last = sets.find((set) => set.hides && set.end >= active.end)
  return { start: first?.end ?? active.start, end: last?.start ?? active.end }
}
