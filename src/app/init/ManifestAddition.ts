/** Adds jobs to an existing manifest, keeping its comments, layout and everything else. */
import { Either } from "effect"
import { isMap, isNode, isSeq, parse, parseDocument, type YAMLSeq } from "yaml"
import { readManifest } from "../../pipeline/load/ManifestFile.ts"

/** Appends jobs to a manifest's own; each job is YAML as `jobText` writes it. */
export const withJobs = (text: string, jobs: ReadonlyArray<string>): string => {
  const document = parseDocument(text)
  const list = document.get("jobs", true)
  if (!isSeq(list) || list.items.length === 0) {
    // All its jobs are commented out.
    document.set("jobs", document.createNode(jobs.flatMap((job): ReadonlyArray<unknown> => parse(job))))
    return document.toString({ lineWidth: 0 })
  }
  if (list.flow !== true) {
    const added = behind(text, list, jobs)
    if (added !== undefined && isWhole(text, added, jobs.length)) return added
  }
  // A flow list, as in JSON, is reformatted; comments stay.
  for (const job of jobs) {
    const [value]: ReadonlyArray<unknown> = parse(job)
    const node = document.createNode(value)
    if (isMap(node)) node.flow = list.flow === true
    document.addIn(["jobs"], node)
  }
  return document.toString({ lineWidth: 0 })
}

/** Inserts the jobs after the last one and its trailing comments; undefined if that place is not found. */
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

/** Returns the end of the line at `from` and of following comments that are indented deeper than the list's dashes. */
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

/** Whether `after` has everything that `before` has, plus exactly `more` jobs. */
const isWhole = (before: string, after: string, more: number): boolean => {
  const [old, made] = [readManifest(before, ""), readManifest(after, "")]
  return (
    Either.isRight(old) &&
    Either.isRight(made) &&
    made.right.jobs.length === old.right.jobs.length + more &&
    JSON.stringify({ ...made.right, jobs: made.right.jobs.slice(0, -more) }) === JSON.stringify(old.right)
  )
}
