/** Composes docs/tables.md from the sources: providers, outputs, formats, codes, and every default and limit. */
import { readdirSync, readFileSync } from "node:fs"
import { Option, SchemaAST, Struct } from "effect"
import { exitMeanings } from "../../src/app/ExitCodes.ts"
import { AnyRefusal, MethodNotAllowed, refusalStatus } from "../../src/contract/Errors.ts"
import { outputEnding, outputs } from "../../src/domain/manifest/Outputs.ts"
import { builtInProviders, profileOf } from "../../src/domain/speech/ProviderProfile.ts"
import { ProviderId } from "../../src/domain/values/Ids.ts"
import { scriptFormats } from "../../src/script/ScriptFile.ts"

const code = (text: string | number): string => `\`${text}\``

const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): ReadonlyArray<string> => {
  const line = (cells: ReadonlyArray<string | number>) =>
    `| ${cells.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line), ""]
}

const providerRows = Object.entries(builtInProviders).map(([id, { name, description }]) => {
  const { minChars, maxChars, srtInput, transcript, controls, concurrency } = profileOf(ProviderId.make(id))
  const ranges = Object.entries(controls).flatMap(([control, range]) =>
    range === undefined ? [] : [`${control} ${range.min} to ${range.max}`]
  )
  return [
    code(id),
    `${name}: ${description}`,
    minChars,
    maxChars,
    srtInput ? "yes" : "no",
    code(transcript),
    ranges.join(", ") || "none",
    concurrency
  ]
})

const outputRows = Struct.keys(outputs).map((name) => {
  const { kind, about } = outputs[name]
  const file = kind === "folder" ? `${name}/` : `<job>.${outputEnding(name)}`
  return [code(name), kind, code(file), about]
})

/** The service's refusals: status, kind, meaning, codes. */
const refusalRows = [...AnyRefusal.members, MethodNotAllowed]
  .map((refusal) => {
    const status = refusalStatus[refusal._tag]
    const meaning = SchemaAST.getDescriptionAnnotation(SchemaAST.typeAST(refusal.ast))
    return [
      status,
      code(refusal._tag),
      Option.getOrElse(meaning, () => ""),
      refusal.fields.code.literals.map(code).join(", ")
    ] as const
  })
  .sort(([one], [other]) => one - other)

/** A named number or time at the top of a source file. */
interface Constant {
  readonly name: string
  readonly value: string
  readonly file: string
  readonly meaning: string
}

const name = /^(?:export )?const ((?:max|min|most|least|default|usual)[A-Z]\w*)(?:: \w+)? = (.+)$/u
const number = /^-?[\d_.]+(?:e\d+)?(?: ?[*/+-] ?[\d_.]+)*$/u
const time = /^(?:Duration\.\w+\()?"([\d.]+ \w+)"\)?$|^Duration\.(\w+)\(([\d.]+)\)$/u

/** The defaults, maxima and minima of a source file, with the text above each. */
const constantsIn = (file: string): ReadonlyArray<Constant> => {
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.flatMap((line, at) => {
    const [, own = "", text = ""] = name.exec(line) ?? []
    const [, written, unit, count] = time.exec(text) ?? []
    const value = written ?? (unit === undefined ? (number.exec(text)?.[0] ?? "") : `${count} ${unit}`)
    return own === "" || value === ""
      ? []
      : [{ name: own, value, file: file.replace(/^src\//u, ""), meaning: textAbove(lines, at) }]
  })
}

/** The comment above a line, or above the lines without a gap before it. */
const textAbove = (lines: ReadonlyArray<string>, at: number): string => {
  let end = at - 1
  while (end >= 0 && /^(?:export )?const \w+(?:: \w+)? = [^{[(]+$/u.test(lines[end] ?? "")) end--
  if (!/\*\/$/u.test(lines[end] ?? "")) return ""
  let begin = end
  while (!/^\/\*\*/u.test(lines[begin] ?? "")) begin--
  return lines
    .slice(begin, end + 1)
    .map((line) => line.replace(/^\/?\s*\*+\/?\s?|\s*\*\/$/gu, ""))
    .join(" ")
    .trim()
}

const constants = (): ReadonlyArray<Constant> =>
  readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .flatMap(constantsIn)

/** Returns the text of docs/tables.md. */
export const tablesPage = (): string =>
  [
    "# Tables",
    "",
    "This page lists what dubwright knows: providers, outputs, formats, exit codes, error codes, defaults and limits. It",
    "is written from the sources; after a change there, run `DUBWRIGHT_TABLES=write npx vitest run test/docs/Tables.test.ts`.",
    "The keys of a manifest, with their defaults, are on [a page of their own](manifest.md).",
    "",
    "## Providers",
    "",
    "What is assumed of a provider until [its service states it](providers.md#what-the-service-states):",
    "",
    ...table(
      [
        "provider",
        "description",
        "min. characters",
        "max. characters",
        "takes SRT",
        "transcript",
        "controls",
        "tasks at once"
      ],
      providerRows
    ),
    "## Outputs",
    "",
    "What a job's `outputs` may list, and the file in `OUT/<job>/`:",
    "",
    ...table(["output", "kind", "file", "content"], outputRows),
    "## Formats",
    "",
    "Scripts that can be read. A file's content decides, if it is clearly in another format than its extension says:",
    "",
    ...table(
      ["format", "extensions"],
      scriptFormats.map((format) => [
        format.name,
        format.endings.map((ending) => code(`.${ending}`)).join(", ") || "recognized by its content"
      ])
    ),
    "## Exit codes",
    "",
    ...table(["code", "meaning"], Object.values(exitMeanings)),
    "## Error codes of the service",
    "",
    ...table(["status", "kind", "meaning", "codes"], refusalRows),
    "## Defaults and limits",
    "",
    "Files are in `src`. Times without a unit are in the unit that the meaning names, else in milliseconds.",
    "",
    ...table(
      ["name", "value", "file", "meaning"],
      constants().map(({ name, value, file, meaning }) => [code(name), value, code(file), meaning])
    )
  ].join("\n")
