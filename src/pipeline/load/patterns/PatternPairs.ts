/** Pairs the inputs of a pattern with their videos and cue sheets, by the names that both patterns have. */
import { extname } from "node:path"
import { Array, Effect, Either } from "effect"
import type { JobEntry } from "../../../domain/manifest/Manifest.ts"
import { InputFault, InputRejected, rejectInput } from "../InputRejected.ts"
import { hasNames, type NameRules, type NameValues, parseNamePattern, unknownName } from "./NamePattern.ts"
import { filesLike, type NamedFile } from "./PatternFiles.ts"

const pairedKeys = ["video", "background", "sheet"] as const

/** The files of one input, relative to the manifest's folder. */
type Pair = Partial<Pick<JobEntry, (typeof pairedKeys)[number]>>

/** The files paired with each input, in the order of the inputs; undefined for an input that waits for its files. */
export interface Pairs {
  readonly found: ReadonlyArray<Pair | undefined>
  /** Videos and sheets that belong to no input, one line each. */
  readonly notices: ReadonlyArray<string>
}

/** The entry's place, and whether an input waits for missing files. */
interface PairPlace {
  readonly base: string
  readonly manifest: string
  readonly at: number
  readonly waits: boolean
}

/**
 * Pairs every input; rejects all inputs without a sheet, or with several files of a kind. A video or background that is
 * missing keeps the name that it should have, and its job fails.
 */
export const pairFiles = Effect.fnUntraced(function* (
  entry: JobEntry,
  inputs: ReadonlyArray<NamedFile>,
  rules: NameRules,
  { base, manifest, at, waits }: PairPlace
) {
  const faults: Array<InputFault> = []
  const notices: Array<string> = []
  const found = inputs.map((): Pair | undefined => ({}))
  for (const key of pairedKeys) {
    const setting = entry[key]
    const written = typeof setting === "object" ? setting.file : setting
    if (written === undefined || !hasNames(written)) continue
    const place = `jobs[${at}].${key}`
    const fault = (problem: string) => InputFault.make({ file: manifest, message: `${place}: ${problem}` })
    const pattern = yield* Either.mapLeft(parseNamePattern(written, rules), (problem) =>
      rejectInput(manifest, `${place}: ${problem}`)
    )
    const known = [...(inputs[0]?.values.keys() ?? [])]
    const strange = pattern.names.find((name) => !known.includes(name))
    if (strange !== undefined)
      return yield* InputRejected.make({ faults: [fault(unknownName(strange, known))] })
    const files = (yield* filesLike(pattern.glob, base)).flatMap(({ name }) => {
      const values = pattern.valuesIn(name)
      return values === undefined || isBeside(key, written, name)
        ? []
        : [{ name, group: groupOf(pattern.names, values) }]
    })
    const fill = (position: number, file: string) => {
      const pair = found[position]
      if (pair !== undefined)
        found[position] = { ...pair, [key]: typeof setting === "object" ? { ...setting, file } : file }
    }
    const byGroup = Array.groupBy(files, ({ group }) => group)
    inputs.forEach(({ name, values }, position) => {
      const [first, ...others] = byGroup[groupOf(pattern.names, values)] ?? []
      if (first === undefined && waits) {
        found[position] = undefined
        notices.push(`${name}: waiting for ${filledIn(written, values)}`)
      } else if (first === undefined && key !== "sheet") fill(position, filledIn(written, values))
      else if (first === undefined)
        faults.push(
          fault(`${name}: no file matches ${filledIn(written, values)}; add the ${key}, or move ${name} away`)
        )
      else if (others.length > 0)
        faults.push(
          fault(
            `${name}: ${others.length + 1} files match ${filledIn(written, values)}: ${[first, ...others].map((file) => file.name).join(", ")}; keep one, or make the pattern narrower`
          )
        )
      else fill(position, first.name)
    })
    const used = new Set(inputs.map(({ values }) => groupOf(pattern.names, values)))
    for (const { name, group } of files)
      if (!used.has(group))
        notices.push(
          `${name}: no input matches ${entry.input}; its ${key} is not ${key === "background" ? "used" : "dubbed"}`
        )
  }
  if (Array.isNonEmptyArray(faults)) return yield* InputRejected.make({ faults })
  const pairs: Pairs = { found, notices }
  return pairs
})

const groupOf = (names: ReadonlyArray<string>, values: NameValues): string =>
  JSON.stringify(names.map((name) => values.get(name)))

const filledIn = (pattern: string, values: NameValues): string =>
  [...values].reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), pattern)

/** Extensions of films. A pattern such as `video/{episode}.*` matches only these. */
const filmEndings = new Set(
  "3gp avi flv m2ts m4v mkv mov mp4 mpeg mpg mts mxf ogv ts webm wmv".split(" ").map((ending) => `.${ending}`)
)

/** Whether a file matches a film's pattern without being a film, such as a picture or a subtitle beside it. */
const isBeside = (key: string, pattern: string, name: string): boolean =>
  key === "video" && pattern.endsWith("*") && !filmEndings.has(extname(name).toLowerCase())
