/** Expands an entry of `jobs` into one job per input file: a glob, or a pattern with names, may match several. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect, Either, Schema, ParseResult } from "effect"
import { isDynamicPattern } from "tinyglobby"
import type { Defaults, JobEntry, WrittenJob } from "../../../domain/manifest/Manifest.ts"
import { JobId, type LanguageTag } from "../../../domain/values/Ids.ts"
import { languageNamed, namedByPattern } from "../../../domain/values/LanguageName.ts"
import { type InputRejected, rejectInput, rejectInputs } from "../InputRejected.ts"
import { jobNameFrom } from "../JobName.ts"
import {
  fillNames,
  hasNames,
  parseNamePattern,
  unknownName,
  type NameValues,
  type NameRules
} from "./NamePattern.ts"
import { filesLike, type NamedFile } from "./PatternFiles.ts"
import { SharedVideo } from "../../../domain/manifest/Outputs.ts"
import type { TagSettings } from "../../../domain/manifest/SoundSettings.ts"
import { extname } from "node:path"

/** One job of an entry, with the names in its settings replaced. */
export interface ExpandedEntry {
  readonly entry: JobEntry
  readonly id: JobId
  /** Absolute. */
  readonly input: string
  /** The text that the names in its pattern matched, without the language. */
  readonly episode?: string
  /** The film that holds the input as a subtitle track, the track as written, such as `#vi`, and its language. */
  readonly track?: { readonly film: string; readonly written: string; readonly language?: LanguageTag }
}

/** An entry's jobs, and a notice for each unpaired file. */
export interface Expansion {
  readonly jobs: ReadonlyArray<ExpandedEntry>
  readonly notices: ReadonlyArray<string>
}

/** An entry's place in the manifest, for paths and messages. */
export interface EntryPlace {
  /** The base folder of paths. */
  readonly base: string
  /** The manifest as the user named it. */
  readonly manifest: string
  /** Position in `jobs`, from 0. */
  readonly at: number
  /** Whether a job whose files are missing waits for them, instead of being a fault. */
  readonly waits: boolean
  /** The error for an input that cannot be used. */
  readonly rejectInput: (problem: string) => InputRejected
}

/** Removes `language: "{language}"` from an entry, because the name in its pattern sets the language anyway. */
export const withKnownLanguage = (
  { language, ...entry }: WrittenJob,
  { manifest, at }: Pick<EntryPlace, "manifest" | "at">
): Either.Either<JobEntry, InputRejected> =>
  language === undefined || (language === namedByPattern && entry.input.includes(namedByPattern))
    ? Either.right(entry)
    : language === namedByPattern
      ? Either.left(rejectInput(manifest, `jobs[${at}].language: {language}: write {language} in input, too`))
      : Either.right({ ...entry, language })

/** Expands an entry; its paths are resolved against the folder of the manifest. */
export const expandEntry = Effect.fnUntraced(function* (
  entry: JobEntry,
  defaults: Defaults,
  place: EntryPlace
) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const { base, rejectInput: reject } = place
  const literal = path.resolve(base, entry.input)
  if (yield* fs.exists(literal).pipe(Effect.orElseSucceed(() => false))) {
    const job: ExpandedEntry = {
      entry,
      id: yield* idOf(entry.id ?? stemOf(path, literal), place),
      input: literal
    }
    return { jobs: [job], notices: [] } satisfies Expansion
  }
  if (hasNames(entry.input)) return yield* expandNames(entry, defaults, place)
  const isPattern = isDynamicPattern(entry.input)
  const files = isPattern ? yield* filesLike(entry.input, base) : []
  if (files.length === 0 && place.waits) return nothing
  if (!isPattern) return yield* reject("no such file; check the path")
  if (files.length === 0) return yield* reject("no file matches; check the pattern")
  const jobs = yield* Effect.forEach(files, ({ path: input }) => {
    const stem = stemOf(path, input)
    return Either.map(
      idOf(entry.id === undefined ? stem : `${entry.id}-${stem}`, place),
      (id): ExpandedEntry => ({ entry, id, input })
    )
  })
  return { jobs, notices: [] } satisfies Expansion
})

const nothing: Expansion = { jobs: [], notices: [] }

/** Expands an entry whose input has names. */
const expandNames = Effect.fnUntraced(function* (entry: JobEntry, defaults: Defaults, place: EntryPlace) {
  const path = yield* Path.Path
  const { base, manifest, at } = place
  const rejectKey = (key: string) => (problem: string) =>
    rejectInput(manifest, `jobs[${at}].${key}: ${problem}`)
  const rules = { ...defaults.match, ...entry.match }
  const pattern = yield* Either.mapLeft(parseNamePattern(entry.input, rules), rejectKey("input"))
  const strange = Object.keys(entry.match ?? {}).find((name) => !pattern.names.includes(name))
  if (strange !== undefined)
    return yield* rejectKey("match")(`${strange}: ${unknownName(strange, pattern.names)}`)
  const files = (yield* filesLike(pattern.glob, base)).flatMap((file): ReadonlyArray<NamedFile> => {
    const values = pattern.valuesIn(file.name)
    return values === undefined ? [] : [{ ...file, values }]
  })
  if (files.length === 0 && place.waits) return nothing
  if (files.length === 0)
    return yield* place.rejectInput("no file matches; check the pattern, and match if it is set")
  const pairs = yield* pairFiles(entry, files, rules, place)
  const paired = files.flatMap((file, position) => {
    const pair = pairs.found[position]
    return pair === undefined ? [] : [{ file, pair }]
  })
  const jobs = yield* Effect.forEach(paired, ({ file, pair }) =>
    Either.gen(function* () {
      const language = yield* languageOf(entry, file, rejectKey("input"))
      const filled = yield* fillEntry(
        { ...entry, ...pair, ...(language === undefined ? {} : { language }) },
        defaults,
        file.values,
        (key, problem) => rejectKey(key)(problem)
      )
      const name =
        entry.id === undefined
          ? stemOf(path, file.path)
          : yield* Either.mapBoth(fillNames(entry.id, file.values), {
              onLeft: rejectKey("id"),
              onRight: jobNameFrom
            })
      return {
        entry: filled,
        id: yield* idOf(name, place),
        input: file.path,
        episode: episodeOf(file)
      } satisfies ExpandedEntry
    })
  )
  return { jobs, notices: [...pairs.notices, ...missingLanguages(entry.input, files)] } satisfies Expansion
})

/** The language in a file's name, unless the entry sets one. */
const languageOf = (
  { input, language }: JobEntry,
  file: NamedFile,
  reject: (problem: string) => InputRejected
) => {
  const said = file.values.get("language")
  return language !== undefined || said === undefined
    ? Either.right(language)
    : Either.mapLeft(languageNamed(said), (fault) =>
        reject(`${input}: ${file.name}: {language}: ${fault}; set match.language to the languages you have`)
      )
}

/** Names the files of a series that lack a language which the others have. */
const missingLanguages = (input: string, files: ReadonlyArray<NamedFile>): ReadonlyArray<string> => {
  const languages = Array.dedupe(files.flatMap(({ values }) => values.get("language") ?? []))
  return Object.entries(Array.groupBy(files, episodeOf)).flatMap(([group, members]) => {
    const missing = languages.filter(
      (language) => !members.some(({ values }) => values.get("language") === language)
    )
    return missing.length === 0 || group === ""
      ? []
      : [`${input}: ${group} has no file in ${missing.join(", ")}`]
  })
}

/** The text that the names matched in a file, without the language. */
const episodeOf = ({ values }: NamedFile): string =>
  [...values].flatMap(([name, value]) => (name === "language" ? [] : [value])).join(" ")

const stemOf = (path: Path.Path, file: string): string => jobNameFrom(path.parse(file).name)

const idOf = (name: string, { manifest, at }: EntryPlace): Either.Either<JobId, InputRejected> =>
  Schema.decodeUnknownEither(JobId)(name).pipe(
    Either.mapLeft(() =>
      rejectInput(
        manifest,
        `jobs[${at}]: "${name}" cannot name a job and its files; set an id of plain letters`
      )
    )
  )

/** Fills `into` and `tags`, also those of the defaults. Left: the fault of a setting. */
const fillEntry = (
  entry: JobEntry,
  defaults: Defaults,
  values: NameValues,
  reject: (key: string, problem: string) => InputRejected
): Either.Either<JobEntry, InputRejected> =>
  Either.gen(function* () {
    const fill = (key: string, text: string) =>
      Either.mapLeft(fillNames(text, values), (problem) => reject(key, problem))
    const filled: { -readonly [Key in keyof JobEntry]: JobEntry[Key] } = { ...entry }
    const into = entry.into ?? defaults.into
    if (into !== undefined)
      filled.into = yield* Either.mapLeft(
        Schema.decodeEither(SharedVideo)(yield* fill("into", into)),
        (fault) => reject("into", ParseResult.TreeFormatter.formatErrorSync(fault))
      )
    const tags = { ...defaults.tags, ...entry.tags }
    if (Object.keys(tags).length > 0) {
      const said: Record<string, string> = {}
      for (const [key, text] of Object.entries(tags)) said[key] = yield* fill(`tags.${key}`, text)
      filled.tags = said satisfies TagSettings
    }
    return filled
  })

const pairedKeys = ["video", "background", "sheet"] as const

/** The files of one input, relative to the manifest's folder. */
type Pair = Partial<Pick<JobEntry, (typeof pairedKeys)[number]>>

/** The files paired with each input, in the order of the inputs; undefined for an input that waits for its files. */
interface Pairs {
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
const pairFiles = Effect.fnUntraced(function* (
  entry: JobEntry,
  inputs: ReadonlyArray<NamedFile>,
  rules: NameRules,
  { base, manifest, at, waits }: PairPlace
) {
  const faults: Array<string> = []
  const notices: Array<string> = []
  const found = inputs.map((): Pair | undefined => ({}))
  for (const key of pairedKeys) {
    const setting = entry[key]
    const written = typeof setting === "object" ? setting.file : setting
    if (written === undefined || !hasNames(written)) continue
    const place = `jobs[${at}].${key}`
    const fault = (problem: string) => `${place}: ${problem}`
    const pattern = yield* Either.mapLeft(parseNamePattern(written, rules), (problem) =>
      rejectInput(manifest, fault(problem))
    )
    const known = [...(inputs[0]?.values.keys() ?? [])]
    const strange = pattern.names.find((name) => !known.includes(name))
    if (strange !== undefined) return yield* rejectInput(manifest, fault(unknownName(strange, known)))
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
  if (Array.isNonEmptyArray(faults)) return yield* rejectInputs(manifest, faults)
  return { found, notices } satisfies Pairs
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
