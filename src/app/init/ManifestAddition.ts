/** Adds jobs to a manifest that is there: its comments, its layout and everything else in it stay as they are. */
import { Either } from "effect"
import { isMap, isNode, isSeq, parse, parseDocument, type YAMLSeq } from "yaml"
import { readManifest } from "../../pipeline/load/ManifestFile.ts"

/** The manifest with these jobs behind its own; each job is YAML as `jobText` writes it. */
export const withJobs = (text: string, jobs: ReadonlyArray<string>): string => {
  const document = parseDocument(text)
  const list = document.get("jobs", true)
  if (!isSeq(list) || list.items.length === 0) {
    // All its jobs are comments so far.
    document.set("jobs", document.createNode(jobs.flatMap((job): ReadonlyArray<unknown> => parse(job))))
    return document.toString({ lineWidth: 0 })
  }
  if (list.flow !== true) {
    const added = behind(text, list, jobs)
    if (added !== undefined && isWhole(text, added, jobs.length)) return added
  }
  // A list in brackets, as in JSON, is written anew; comments stay.
  for (const job of jobs) {
    const [value]: ReadonlyArray<unknown> = parse(job)
    const node = document.createNode(value)
    if (isMap(node)) node.flow = list.flow === true
    document.addIn(["jobs"], node)
  }
  return document.toString({ lineWidth: 0 })
}

/**
 * The text with the jobs behind the last one and the comments that belong to it; undefined where their place is not
 * found.
 */
const behind = (text: string, list: YAMLSeq, jobs: ReadonlyArray<string>): string | undefined => {
  const last = list.items.at(-1)
  if (!isNode(last) || !last.range) return undefined
  const [start, end] = last.range
  const lineStart = text.lastIndexOf("\n", start - 1) + 1
  const dash = /^ *- /u.exec(text.slice(lineStart))?.[0]
  if (dash === undefined) return undefined
  const column = dash.length - 2
  const place = pastComments(text, end, column)
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const block = jobs
    .join("\n")
    .split("\n")
    .map((line) => " ".repeat(column) + line.slice(2) + lineEnd)
    .join("")
  const before = text.slice(0, place)
  return before + (before.endsWith("\n") ? "" : lineEnd) + block + text.slice(place)
}

/** The end of the line at `from`, and of comments behind it that stand deeper than the list's dashes. */
const pastComments = (text: string, from: number, column: number): number => {
  const endOfLine = (at: number): number => {
    const found = text.indexOf("\n", at)
    return found < 0 ? text.length : found + 1
  }
  let place = text[from - 1] === "\n" ? from : endOfLine(from)
  for (let at = place; at < text.length;) {
    const next = endOfLine(at)
    const line = text.slice(at, next)
    const depth = line.search(/\S/u)
    if (depth >= 0 && (line[depth] !== "#" || depth <= column)) break
    if (depth >= 0) place = next
    at = next
  }
  return place
}

/** Whether everything that was in a manifest is in it still, and as many jobs more. */
const isWhole = (before: string, after: string, more: number): boolean => {
  const [old, made] = [readManifest(before, ""), readManifest(after, "")]
  return (
    Either.isRight(old) &&
    Either.isRight(made) &&
    made.right.jobs.length === old.right.jobs.length + more &&
    JSON.stringify({ ...made.right, jobs: made.right.jobs.slice(0, -more) }) === JSON.stringify(old.right)
  )
}
