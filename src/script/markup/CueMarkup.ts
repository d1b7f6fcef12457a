/** Converts a cue's markup to plain text: removes tags and style codes, resolves entities, separates speakers. */
import { withoutUnseen } from "./CueLines.ts"
import { withoutForeignMarkup } from "./ForeignMarkup.ts"
import { decodeEntities } from "./HtmlEntities.ts"

/** One voice's text in a cue; `speaker` is a WebVTT `<v>` annotation. */
export interface MarkedTurn {
  readonly speaker: string | undefined
  readonly text: string
}

/**
 * Returns the turns of a cue, in order:
 *
 * - Known tags, unknown tags without spaces, time tags, ASS and MicroDVD style codes are dropped.
 * - Ruby keeps only its base text.
 * - `<br>`, `\N` and a MicroDVD `|` become line breaks.
 * - Text that only looks like markup stays: "<3", "a < b", and a note such as "<LAUGHING AND SHOUTING>".
 * - A tag without its closing ">" is removed; the words after it stay.
 */
export const turnsOfMarkup = (raw: string): ReadonlyArray<MarkedTurn> => {
  const turns: Array<{ speaker: string | undefined; text: string }> = []
  let speaker: string | undefined
  let ruby = false
  let annotation = false
  const say = (text: string): void => {
    if (annotation || text === "") return
    const last = turns.at(-1)
    if (last !== undefined && last.speaker === speaker) last.text += text
    else turns.push({ speaker, text })
  }
  let rest = withoutStyleCodes(withoutForeignMarkup(raw))
  // Length of the rest at the end of the last comment; no comment begins after it.
  const lastComment = rest.length - rest.lastIndexOf("-->")
  while (rest !== "") {
    const open = rest.indexOf("<")
    if (open < 0) {
      say(rest)
      break
    }
    say(rest.slice(0, open))
    rest = rest.slice(open)
    const tag = tagAt(rest, rest.length > lastComment)
    if (tag === undefined) {
      say("<")
      rest = rest.slice(1)
      continue
    }
    rest = rest.slice(tag.length)
    if (tag.name === "v" && !tag.closing) speaker = tag.annotation
    else if (tag.name === "ruby") {
      ruby = !tag.closing
      annotation = false
    } else if (tag.name === "rt" || tag.name === "rp") annotation = ruby && !tag.closing
    else if (tag.name === "br" || tag.name === "p") say("\n")
  }
  return tidy(turns)
}

/** Returns the plain text of marked-up text, for all speakers. */
export const plainText = (raw: string): string =>
  turnsOfMarkup(raw)
    .map((turn) => turn.text)
    .join("\n")

interface Tag {
  readonly name: string
  readonly closing: boolean
  readonly annotation: string | undefined
  readonly length: number
}

const closed = /^<([^<>]*)>/u
const inside = /^\s*([a-z][a-z0-9]*)?((?:\.\S*)?)(\s.*)?$/isu
const timeTag = /^<\s*\/?(?=[:.,\0]*\d)[\d:.,\0]*>/u
const unfinished =
  /^<\/?(br|b|i|u|s|c|v|lang|ruby|rt|font)((?:\.[\w-]*)*)(?:\s+\w+\s*=\s*(?:"[^"<>]*"|[^\s<>]+))*(?=\s|$)/iu
const unfinishedTime = /^<\d+:[\d:.]+(?=\s|$)/u

const tagAt = (text: string, comments: boolean): Tag | undefined => {
  const plain = timeTag.exec(text)?.[0].length ?? (comments ? commentAt(text) : undefined)
  if (plain !== undefined) return { name: "", closing: false, annotation: undefined, length: plain }
  const [whole = "", within] = closed.exec(text) ?? []
  const words = (within ?? "").replace(/^\s*\//u, "")
  const slash = words === (within ?? "") ? "" : "/"
  const match = within === undefined ? null : inside.exec(words.replace(/\/$/u, "").trimEnd())
  if (match !== null) {
    const name = (match[1] ?? "").toLowerCase()
    const annotation = (match[3] ?? "").replace(/\s+/gu, " ").trim()
    // Only these have bare annotations of several words: "a<b and c>d" is text.
    const isBare = /\s/u.test(annotation) && !annotation.includes("=")
    if (isBare && !/^(?:v|lang|font|span|div)?$/u.test(name)) return undefined
    if (name === "" && slash === "" && match[2] === "") return undefined
    // "a < b and c > d" is text: a tag with an annotation has no space after its bracket.
    if (/^<\s/u.test(text) && annotation !== "" && !annotation.includes("=")) return undefined
    return {
      name,
      closing: slash === "/",
      annotation: annotation === "" ? undefined : decodeEntities(annotation),
      length: whole.length
    }
  }
  const odd = /^<[a-z](?![^<>]*(?:@|\/\/))[^\s<>]*>/iu.exec(text)
  if (odd !== null) return { name: "", closing: false, annotation: undefined, length: odd[0].length }
  const broken = unfinished.exec(text) ?? unfinishedTime.exec(text)
  if (broken !== null) {
    const name = text.startsWith("</") ? "" : (broken[1] ?? "").toLowerCase()
    return { name: name === "v" ? "" : name, closing: false, annotation: undefined, length: broken[0].length }
  }
  return undefined
}

/** Returns the length of the comment at the start of a text. */
const commentAt = (text: string): number | undefined => {
  const end = text.startsWith("<!--") ? text.indexOf("-->", 4) : -1
  return end < 0 ? undefined : end + 3
}

/** Removes style codes of ASS (`{\an8}`) and MicroDVD (`{b}`, `{Y:i}`); turns `\N` and `|` into line breaks. */
const withoutStyleCodes = (raw: string): string =>
  raw
    .replace(
      /\{\\[^{}]*\}|｛[\\＼][^｛｝]*｝|\(\\[a-z]{1,4}\d*\)|\{\/?[bius]\}|\{[a-z]:[^{}]*\}|^\\an?\d\b/giu,
      ""
    )
    .replace(/\{\\[a-z]+[\d.&()+-]*(?=\s|$)/giu, "")
    .replace(/(?<![:\\])(?:\\[Nn])+(?!\\)/gu, "\n")
    .replace(/\\h/gu, " ")
    .replace(/(?<=[^\s|])\|(?=[^\s|])/gu, "\n")

/** Resolves entities; removes tags that were escaped as entities, and invisible characters. */
const cleaned = (text: string): string =>
  withoutUnseen(
    decodeEntities(text).replace(
      /<\/?(?:[bius]|font)(\s[^<>]*)?>/giu,
      (tag, words: string | undefined = "") => (words.trim() === "" || words.includes("=") ? "" : tag)
    )
  )
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .normalize("NFC")

const tidy = (turns: ReadonlyArray<MarkedTurn>): ReadonlyArray<MarkedTurn> => {
  const kept: Array<MarkedTurn> = []
  for (const turn of turns) {
    const text = cleaned(turn.text)
    const last = kept.at(-1)
    if (text === "") continue
    if (last !== undefined && last.speaker === turn.speaker)
      kept[kept.length - 1] = { speaker: last.speaker, text: `${last.text}\n${text}` }
    else kept.push({ speaker: turn.speaker, text })
  }
  return kept
}
