/** Converts Markdown into headings and paragraphs of plain text to be read aloud. */
import { type Block, noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import { decodeEntities } from "../../markup/HtmlEntities.ts"
import { blockOf, unwrapped } from "./Paragraphs.ts"

/** HTML blocks that contain no text, by their start and end. */
const hidden: ReadonlyArray<readonly [begins: RegExp, ends: string]> = [
  [/^\s*<!--/u, "-->"],
  [/^\s*<script[\s>]/iu, "</script>"],
  [/^\s*<style[\s>]/iu, "</style>"],
  [/^\s*<\?/u, "?>"],
  [/^\s*<![A-Za-z]/u, ">"]
]

/** A list item. Numbers have at most three digits: four are a year. */
const point = /^\s*(?:[-*+]|(\d{1,3})[.)])\s+(?:\[[ xX]\]\s+)?/u

/**
 * Parses Markdown. Code, footnotes, pictures, comments and table rules are not read aloud; skipped code and footnotes
 * are reported in notices.
 */
export const markdownBlocks = (text: string, notices: Array<Notice>): ReadonlyArray<Block> => {
  const lines = withoutFrontMatter(text).split("\n")
  const blocks: Array<Block> = []
  let open: Array<string> = []
  let from = 1
  /** The kind of block that contains the open lines, if it is not a paragraph. */
  let within: "point" | "table" | "footnote" | undefined
  const close = (kind: "heading" | "paragraph" = "paragraph"): void => {
    if (open.length > 0) blocks.push(...blockOf(kind, inline(unwrapped(open)), from))
    open = []
  }
  const begin = (line: number, words: string): void => {
    if (open.length === 0) from = line
    open.push(words)
  }
  const tell = (line: number, message: string): void => {
    notices.push(noticeAt(line, message))
  }
  let fence: { readonly mark: string; readonly line: number } | undefined
  let end: string | undefined
  const last = new Map(hidden.map(([, ends]) => [ends, lines.findLastIndex((line) => holds(line, ends))]))
  lines.forEach((written, i) => {
    let line = written.replace(/^(?:\s*>)+\s?(?:\[![\p{L}-]+\][-+]?)?/u, "").trimEnd()
    const number = i + 1
    const mark = fenceOf(line)
    if (fence !== undefined) {
      if (mark !== undefined && mark.startsWith(fence.mark) && line.trim() === mark) fence = undefined
      return
    }
    for (;;) {
      const begins = end === undefined ? hidden.find(([begins]) => begins.test(line)) : undefined
      if (begins !== undefined) {
        close()
        if ((last.get(begins[1]) ?? -1) >= i) end = begins[1]
        else {
          tell(number, `unclosed HTML: no "${begins[1]}" follows; read as text`)
          line = line.replace(/<\S*/u, "")
        }
      }
      if (end === undefined) break
      const at = line.toLowerCase().indexOf(end)
      if (at < 0) return
      line = line.slice(at + end.length)
      end = undefined
    }
    if (within === "footnote") {
      const lazy = lines[i - 1]?.trim() !== "" && !/^ {0,3}(?:[#>|]|[-*+]\s|\d+[.)]\s)/u.test(written)
      if (line === "" || lazy || /^(?: {2}|\t)/u.test(line)) return
      within = undefined
    }
    const item = point.exec(line)
    if (mark !== undefined) {
      close()
      fence = { mark, line: number }
      tell(number, "a code block is not read aloud")
    } else if (/^\s*$/u.test(line)) {
      close()
      within = undefined
    } else if (/^ {0,3}#{1,6}(?:\s|$)/u.test(line)) {
      close()
      begin(number, line.replace(/^\s*#+\s*/u, "").replace(/(?<!\s)\s+#+$/u, ""))
      close("heading")
    } else if (/^ {0,3}(?:=+|-+)\s*$/u.test(line) && open.length > 0) close("heading")
    else if (/^ {0,3}(?:[-*_]\s*){3,}$/u.test(line) || (line.includes("-") && /^[\s:|-]*$/u.test(line))) {
      if (line.includes("|") && open.length === 1) {
        open = open.map(cells)
        within = "table"
      }
      close()
    } else if (/^ {0,3}\[\^[^\]]+\]:/u.test(line)) {
      close()
      within = "footnote"
      tell(number, "a footnote is not read aloud")
    } else if (/^ {0,3}\[[^\]]+\]:\s+\S/u.test(line)) close()
    else if (
      item !== null &&
      (item[1] === undefined || item[1] === "1" || open.length === 0 || within === "point")
    ) {
      close()
      within = "point"
      begin(number, line.slice(item[0].length))
    } else if (within === "table" || /^\s*\|.*\|$/u.test(line)) {
      close()
      begin(number, cells(line))
      close()
    } else begin(number, line.replace(/\\$/u, ""))
  })
  if (fence !== undefined) tell(fence.line, "unclosed code block: everything below is treated as code")
  close()
  return blocks
}

/** Returns the fence that opens or closes a code block; backticks within a line of text do not count. */
const fenceOf = (line: string): string | undefined => {
  const [, mark, behind = ""] = /^\s*(`{3,}|~{3,})(.*)$/u.exec(line) ?? []
  return mark?.startsWith("`") === true && behind.includes("`") ? undefined : mark
}

/** Whether a line contains an ending (in lower case), ignoring case. */
const holds = (line: string, ending: string): boolean => line.toLowerCase().includes(ending)

/** Joins the cells of a table row with commas. */
const cells = (row: string): string =>
  row
    .trim()
    .replace(/^\||(?<!\\)\|$/gu, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim())
    .join(", ")

/**
 * Empties the lines of front matter, so that the others keep their line numbers. Front matter must begin with a key;
 * otherwise the `---` is a rule above text.
 */
const withoutFrontMatter = (text: string): string => {
  const match =
    /^(?:---|\+\+\+)[^\S\n]*\n(?=["']?[\p{L}\p{N}_ .-]+["']?[^\S\n]*[:=])[\s\S]*?\n(?:---|\+\+\+)\s*(?:\n|$)/u.exec(
      text
    )
  return match === null ? text : match[0].replace(/[^\n]+/gu, "") + text.slice(match[0].length)
}

/** Offset into the private use area for backslash-escaped characters, hidden while markup is removed. */
const held = 0xe100

/** Above this length (characters) markup signs are removed one by one: matching pairs would take too long. */
const longest = 20_000

const inline = (text: string): string =>
  text.length > longest ? decodeEntities(text.replace(/[*_`~]+/gu, "")) : withoutMarks(text)

const withoutMarks = (text: string): string =>
  decodeEntities(
    text
      .replace(/\\([!-/:-@[-`{-~])/gu, (_, sign: string) => String.fromCharCode(held + sign.charCodeAt(0)))
      .replace(/(`+)\s?(.+?)\s?\1(?!`)/gu, (_, _ticks, code: string) =>
        code.replace(/[*_~[\]<>]/gu, (sign) => String.fromCharCode(held + sign.charCodeAt(0)))
      )
      .replace(/!\[\[[^[\]]*\]\]|\^\[[^[\]]*\]/gu, "")
      .replace(/\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/gu, "$1")
      .replace(/!\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/gu, "")
      .replace(/\[\^[^[\]]+\]/gu, "")
      .replace(/\[([^[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/gu, "$1")
      .replace(/<((?:https?|mailto):[^<>\s]+|[^<>\s@]+@[^<>\s@]+)>/gu, "$1")
      .replace(/<br\s*\/?>/giu, " ")
      .replace(/<\/?[a-z][^<>]*>|<!--.*?-->/giu, "")
      .replace(/(\*\*\*|___|\*\*|__)(?=\S)(.+?)(?<=\S)\1/gu, "$2")
      .replace(/(?<![\p{L}\p{N}*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu, "$1")
      .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])(.+?)(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, "$1")
      .replace(/(~~|==)(?=\S)(.+?)(?<=\S)\1/gu, "$2")
  ).replace(/[\ue100-\ue17f]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) - held))
