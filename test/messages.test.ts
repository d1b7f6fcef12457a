/**
 * Snapshot of every string in the program that reads like prose: messages, help, pages. A change of wording is reviewed
 * as the diff of `messages.txt`; run this file with `-u` to accept it.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, test } from "vitest"

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && statSync(file).isFile())
  // The names of eSpeak's voices and the compiled kernels are data, not messages.
  .filter((file) => !/(?:BundledVoices|KernelCode)\.ts$/u.test(file))
  .sort()

/** Returns the text of a literal, with `…` for its holes; undefined if a node is not a literal. */
const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join("…")
}

const isSql =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|BEGIN|WITH|VALUES|CASE|EXISTS|CAST|FOR UPDATE|INDEXED BY|LISTEN)\b|^status = /u

/** Escapes control characters, so that the snapshot stays a text file that diffs can show. */
const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Two words in a row, in any script with letters. */
const isProse = /\p{L}[\p{L}'’,;:.!?)]*\s+[(“"`]?\p{L}/u

const wordsIn = (file: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: ts.Node): void => {
    const text = textOf(node)
    if (text !== undefined && isProse.test(text) && !isSql.test(text) && !/redis\.p?call\(/u.test(text))
      found.push(printable(text.replace(/\s+/gu, " ").trim()))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest))
  return found
}

test("the program's messages match the snapshot", async () => {
  const rooms = [...new Set(files.map((file) => file.split(/[\\/]/u)[1] ?? ""))]
  const text = rooms
    .map((room) => {
      const inside = files.filter((file) => file.split(/[\\/]/u)[1] === room)
      return [`# ${room}`, ...inside.flatMap(wordsIn).sort()].join("\n")
    })
    .join("\n\n")
  await expect(`${text}\n`).toMatchFileSnapshot("messages.txt")
})
