/** Reads the additions of W3C DAPT to TTML: the kind and the languages of an event (https://www.w3.org/TR/dapt/). */
import { primaryLanguage } from "../../../domain/values/Ids.ts"
import { elementsNamed, elementsOf, type XmlElement } from "./XmlTree.ts"

/** The data of a TTML document about its speech. */
export interface DaptScript {
  /** Whether the document is a DAPT script. */
  readonly isDapt: boolean
  /** Whether an event is speech: dialogue, or a description of the picture if the script has no dialogue. */
  readonly isSpoken: (represents: string | undefined) => boolean
  /** The texts of an event to speak, if it has the same text in several languages. */
  readonly chosen: (
    texts: ReadonlyArray<XmlElement>,
    inherited: string | undefined
  ) => ReadonlySet<XmlElement>
  /** The divisions to speak, if each has the whole text in a language of its own, and one of them is the job's. */
  readonly versions: (divisions: ReadonlyArray<XmlElement>) => ReadonlySet<XmlElement>
}

/** Returns the reading of a document; `language` is the job's. */
export const daptScriptOf = (root: XmlElement, language: string | undefined): DaptScript => {
  const profiles = root.attributes.get("contentProfiles") ?? ""
  const isDapt =
    /profile\/dapt/u.test(profiles) ||
    [root, ...elementsNamed(root, "body"), ...elementsNamed(root, "p")].some(
      ({ attributes }) => attributes.has("scriptType") || attributes.has("langSrc")
    )
  const stated = [root, ...elementsNamed(root, "body"), ...elementsNamed(root, "div")].flatMap(
    ({ attributes }) => [attributes.get("scriptRepresents") ?? "", attributes.get("represents") ?? ""]
  )
  const hasDialogue = stated.some((represents) => /\baudio(?:\.dialogue)?(?![.\w])/u.test(represents))
  const wanted = [language, root.attributes.get("xml:lang")].filter((tag) => tag !== undefined && tag !== "")
  return {
    isDapt,
    isSpoken: (represents) => {
      if (represents === undefined || represents.trim() === "") return true
      if (/\baudio\.(?!dialogue)/u.test(represents)) return false
      return !(hasDialogue && /\bvisual\b/u.test(represents) && !/\baudio\b/u.test(represents))
    },
    chosen: (texts, inherited) => {
      const languageOf = (text: XmlElement): string => text.attributes.get("xml:lang") ?? inherited ?? ""
      if (!isDapt || new Set(texts.map(languageOf)).size < 2) return new Set(texts)
      for (const tag of wanted) {
        const fitting = texts.filter((text) => isSameLanguage(languageOf(text), tag ?? ""))
        if (fitting.length > 0) return new Set(fitting)
      }
      const last = texts.at(-1)
      return new Set(last === undefined ? [] : texts.filter((text) => languageOf(text) === languageOf(last)))
    },
    versions: (divisions) => {
      const tags = divisions.flatMap(({ attributes }) => attributes.get("xml:lang") ?? [])
      const sizes = divisions.map((division) => elementsNamed(division, "p").length)
      // A film in which two languages are spoken has them in turn, seldom with the same number of lines.
      const areVersions =
        new Set(tags).size === divisions.length && Math.min(...sizes) >= Math.max(...sizes) * alike
      const own = divisions.filter(({ attributes }) =>
        isSameLanguage(attributes.get("xml:lang") ?? "", language ?? "")
      )
      return new Set(areVersions && own.length > 0 ? own : divisions)
    }
  }
}

/** Share of the paragraphs of the longest division that each version of a text has at least. */
const alike = 0.8

const isSameLanguage = (a: string, b: string): boolean => primaryLanguage(a) === primaryLanguage(b)

/** Returns a lookup of the names of speakers by `ttm:agent` ids: an alias before a full name, else the id. */
export const speakersIn = (root: XmlElement): ((agents: string | undefined) => string | undefined) => {
  const names = new Map<string, string>()
  for (const agent of elementsNamed(root, "agent")) {
    const id = agent.attributes.get("xml:id")
    const named = elementsOf(agent).filter(({ name }) => name === "name")
    const best = named.find(({ attributes }) => attributes.get("type") === "alias") ?? named[0]
    const text = (best?.children ?? []).filter((child) => typeof child === "string").join("")
    const name = text.replace(/\s+/gu, " ").trim()
    if (id !== undefined) names.set(id, name === "" ? id : name)
  }
  return (agents) => {
    const known = (agents ?? "").split(/\s+/u).filter((id) => id !== "")
    return known.length === 0 ? undefined : known.map((id) => names.get(id) ?? id).join(" & ")
  }
}
