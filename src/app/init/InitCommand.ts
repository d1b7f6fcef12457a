/** The `init` command: writes a manifest for a folder's subtitles, texts and videos, or adds jobs for new ones. */
import { basename, extname, parse } from "node:path"
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Array, Effect, Either, Equal, HashSet, Option, Order, Predicate } from "effect"
import { glob } from "tinyglobby"
import type { Manifest } from "../../domain/manifest/Manifest.ts"
import type { Script } from "../../domain/speech/Cue.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { languageCode } from "../../ffmpeg/probe/LanguageCode.ts"
import { mainSound } from "../../ffmpeg/probe/MediaInfo.ts"
import { readInput, inputText } from "../../pipeline/load/InputFile.ts"
import { rejectInput, rejectInputs } from "../../pipeline/load/InputRejected.ts"
import { jobNameFrom } from "../../pipeline/load/JobName.ts"
import { expandEntry } from "../../pipeline/load/patterns/EntryExpansion.ts"
import { readManifest } from "../../pipeline/load/ManifestFile.ts"
import { languageInName } from "../../pipeline/load/LanguageFromFilename.ts"
import { writeFailureText as writingFault } from "../../pipeline/report/ResultFolder.ts"
import { depth, elsewhere, namedIn, subtitleFiles } from "../../pipeline/load/UnlistedSubtitles.ts"
import { castNames } from "../../pipeline/plan/voices/CastPool.ts"
import { poolSpeaker } from "../../store/tables/PoolVoices.ts"
import { speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { emptyLexicon } from "../../script/spoken/Lexicon.ts"
import { followUpsOf } from "../../script/spoken/MidSentence.ts"
import { readScript } from "../../script/ScriptFile.ts"
import { spokenWords } from "../../script/spoken/SpokenWords.ts"
import { readYaml } from "../../settings/Yaml.ts"
import { makeFolder } from "../../system/Folder.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"
import { bundledService } from "../../library/layers/BundledService.ts"
import { badUsage } from "../ExitCodes.ts"
import type { FilmSound } from "./FilmSound.ts"
import {
  type FilePattern,
  type FoundScript,
  jobText,
  type ManifestEntry,
  type ManifestService,
  manifestText,
  type VoiceFor
} from "./InitManifest.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { shellWord } from "../nightly/Schedule.ts"
import { Screen } from "../terminal/Screen.ts"
import { Prompt } from "@effect/cli"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import { containerFor } from "../../domain/manifest/Outputs.ts"
import { isMap, isNode, isSeq, parse as parseYaml, parseDocument, type YAMLSeq } from "yaml"

export interface InitOptions {
  readonly folder: string
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  readonly language: LanguageTag | undefined
  readonly sound: FilmSound | undefined
  readonly ownLanguage: boolean
  readonly force: boolean
  readonly yes: boolean
}

const manifestName = "dubwright.yaml"

export const initCommand = Effect.fn("InitCommand.initCommand")(function* (options: InitOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const screen = yield* Screen
  const folder = path.resolve(options.folder)
  const target = path.join(folder, manifestName)
  const unwritable = (cause: PlatformError) =>
    badUsage(`${target}: cannot be written: ${writingFault(cause)}; choose another folder`)
  const there = yield* Effect.option(fs.stat(folder))
  if (Option.exists(there, ({ type }) => type !== "Directory"))
    return yield* badUsage(`${options.folder}: not a folder; pass the folder with the subtitles`)
  yield* Effect.try({
    try: () => makeFolder(folder),
    catch: (cause) =>
      badUsage(
        `${target}: cannot be written: ${cause instanceof Error ? cause.message : String(cause)}; choose another folder`
      )
  })
  const before =
    !options.force && (yield* fs.exists(target).pipe(Effect.mapError(unwritable)))
      ? yield* manifestIn(target)
      : undefined
  const inFolder = yield* scriptsIn(folder)
  const isNamed = before === undefined ? () => false : namedIn(before.text)
  const scripts = withIdsOfTheirOwn(
    yield* withOwnLanguages(
      folder,
      inFolder.filter((script) => !isNamed(script.path)),
      options.ownLanguage
    ),
    before?.ids ?? []
  )
  const said = {
    service: before !== undefined ? before.service : serviceSaid(options),
    language: options.language,
    sound: before !== undefined ? ("voices" as const) : options.sound
  }
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY
  const { service, language, films, sound }: InitChoices =
    onTerminal && !options.yes && (before === undefined || scripts.length > 0)
      ? yield* askChoices(scripts, said)
      : {
          service: said.service ?? "embedded",
          language: said.language,
          films: true,
          sound: said.sound ?? "voices"
        }
  const found = scripts.map(({ background, ...script }): FoundScript => ({
    ...script,
    // A voice-over is laid over the film's own sound.
    ...(background === undefined || sound === "voice-over" ? {} : { background }),
    language: script.language ?? language,
    makesFilm: films
  }))
  const { local } = yield* bundledService
  const own = found.filter(({ ownLanguage }) => ownLanguage !== undefined)
  const dubbed = found.filter(({ ownLanguage }) => ownLanguage === undefined)
  const casts = new Map(
    Object.values(Array.groupBy(service === "embedded" ? dubbed : [], ({ language = "" }) => language)).map(
      (scripts) => {
        const [{ language }] = scripts
        const open = Array.dedupe(scripts.flatMap(({ speakers }) => speakers))
        const pool = local.voicesFor(language).filter(({ mute }) => mute === undefined)
        return [language, { usual: pool[0], ...castNames(open, language, pool, local.traitsOf) }] as const
      }
    )
  )
  const voiceFor: VoiceFor = (language, speaker) => {
    const cast = casts.get(language)
    return speaker === undefined ? cast?.usual : cast?.voices.get(poolSpeaker(speaker))
  }
  yield* Effect.forEach([...casts.values()], ({ remarks }) =>
    Effect.forEach(remarks, (remark) => screen.say(`note: ${remark}`))
  )
  const named = path.relative(process.cwd(), target)
  const next = `check it, then run: dubwright plan ${shellWord(named.startsWith("..") ? target : named)}`
  for (const { path: file, ownLanguage } of own) {
    yield* screen.say(
      `${file} is in the film's own language (${ownLanguage ?? ""}) and left out; use --own-language to include it`
    )
  }
  if (before === undefined) {
    const entries = yield* entriesOf(found, folder)
    const text = manifestText(path.basename(folder) || "dub", service, entries, voiceFor, sound)
    yield* fs.writeFileString(target, text).pipe(Effect.mapError(unwritable))
    yield* screen.result(target)
    const jobs = found.length === 0 ? "an example job" : formatCount(found.length - own.length, "job")
    return yield* screen.say(`wrote a manifest with ${jobs}; ${next}`)
  }
  if (dubbed.length === 0) {
    yield* screen.result(target)
    return yield* screen.say(
      `${target} already has every subtitle and text in this folder; nothing to add (--force replaces it)`
    )
  }
  const jobs = dubbed.map((script) =>
    jobText({ scripts: [script] }, before.defaults, "voices", newVoices(script, before.cast, voiceFor))
  )
  yield* fs.writeFileString(target, withJobs(before.text, jobs)).pipe(Effect.mapError(unwritable))
  yield* screen.result(target)
  yield* screen.say(
    `added ${formatCount(dubbed.length, "job")}: ${dubbed.map(({ id }) => id).join(", ")}; existing content is unchanged; ${next}`
  )
})

const serviceSaid = ({ embedded, baseUrl }: InitOptions): ManifestService | undefined =>
  embedded ? "embedded" : baseUrl === undefined ? undefined : { baseUrl }

/** Reads an existing manifest; `jobs` may be empty, if all of them are comments. */
const manifestIn = Effect.fnUntraced(function* (target: string) {
  const text = yield* inputText(target, target)
  const read = yield* Either.mapLeft(readYaml(text), (faults) => rejectInputs(target, faults))
  const jobs: unknown = Predicate.isRecord(read.value) ? read.value["jobs"] : undefined
  const isEmpty = jobs === null || (globalThis.Array.isArray(jobs) && jobs.length === 0)
  const { service, defaults, cast, ids } = isEmpty
    ? { service: undefined, defaults: {}, cast: undefined, ids: [] }
    : yield* Either.map(readManifest(text, target), (manifest) => ({
        ...manifest,
        ids: manifest.jobs.map(({ id, input }) => id ?? jobNameFrom(basename(input, extname(input))))
      }))
  const known: ManifestService = typeof service === "object" ? { baseUrl: service.baseUrl } : "embedded"
  return { text, service: known, defaults: defaults ?? {}, cast, ids }
})

/** A new script's speakers with their voices, without those that the manifest has cast. */
const newVoices = ({ language, speakers }: FoundScript, cast: Manifest["cast"], voiceFor: VoiceFor) => {
  const known = Object.keys((typeof cast === "object" ? cast.speakers : undefined) ?? {})
  return Object.fromEntries(
    speakers.flatMap((name) => {
      const voice = typeof cast === "string" || known.includes(name) ? undefined : voiceFor(language, name)
      return voice === undefined ? [] : [[name, voice] as const]
    })
  )
}

/** Writes scripts whose file names differ in title and language only as one entry, if it finds exactly these files. */
const entriesOf = Effect.fnUntraced(function* (found: ReadonlyArray<FoundScript>, folder: string) {
  const byPattern = Object.values(Array.groupBy(found, (script) => JSON.stringify(patternOf(script))))
  const entries = yield* Effect.forEach(byPattern, (group) =>
    Effect.gen(function* () {
      const [own, scripts] = Array.partition(group, ({ ownLanguage }) => ownLanguage === undefined)
      const pattern = patternOf(group[0])
      const alone = group.map((script): ManifestEntry => ({ scripts: [script] }))
      if (!Array.isNonEmptyReadonlyArray(scripts) || scripts.length < 3) return alone
      const tags = Array.dedupe(scripts.map(({ path }) => tagOf(path)))
      const entry = own.length === 0 ? pattern : { ...pattern, match: { language: tags.join("|") } }
      const place = { base: folder, manifest: manifestName, at: 0, waits: false }
      const files = yield* expandEntry(
        entry,
        {},
        { ...place, rejectInput: (problem) => rejectInput(folder, problem) }
      ).pipe(
        Effect.map(({ jobs }) => jobs.map(({ id, entry: { video, background } }) => [id, video, background])),
        Effect.orElseSucceed(() => [])
      )
      const isSame = Equal.equals(
        HashSet.fromIterable(files.map((one) => JSON.stringify(one))),
        HashSet.fromIterable(
          scripts.map(({ id, video, background }) => JSON.stringify([id, video, background]))
        )
      )
      return isSame ? [{ scripts, pattern: entry }] : alone
    })
  )
  return entries.flat()
})

/** The language of a file name as it is written, such as `eng`. */
const tagOf = (file: string): string => {
  const rest = parse(file).name.slice(languageInName(file).title.length + 1)
  return rest.split(".")[0] ?? ""
}

/** The pattern of a script's files: its title is `{episode}`, its language `{language}`. */
const patternOf = ({ path: file, video, background }: FoundScript): FilePattern => {
  const { title } = languageInName(file)
  const patterned = (name: string) =>
    name
      .split("/")
      .map((part) =>
        part.startsWith(title) && !/^[\p{L}\p{N}]/u.test(part.slice(title.length))
          ? `{episode}${part.slice(title.length).replace(`.${tagOf(file)}.`, ".{language}.")}`
          : part
      )
      .join("/")
  return {
    input: patterned(file),
    ...(video === undefined ? {} : { video: patterned(video) }),
    ...(background === undefined ? {} : { background: patterned(background) })
  }
}

/** Marks scripts that are in the language of their film's own audio, unless `wanted` (--own-language) is set. */
const withOwnLanguages = Effect.fnUntraced(function* (
  folder: string,
  found: ReadonlyArray<FoundScript>,
  wanted: boolean
) {
  const videos = Array.dedupe(
    found.flatMap(({ video, language }) => (language === undefined ? [] : (video ?? [])))
  )
  if (wanted || videos.length === 0) return found
  const path = yield* Path.Path
  const languages = yield* Effect.gen(function* () {
    const { probe } = yield* Ffmpeg
    return yield* Effect.forEach(
      videos,
      (video) =>
        probe(path.join(folder, video)).pipe(
          Effect.map((film) => [video, mainSound(film)?.language] as const),
          Effect.orElseSucceed(() => [video, undefined] as const)
        ),
      { concurrency: 4 }
    )
  }).pipe(
    Effect.provide(ffmpegFromEnvironment),
    // Without ffmpeg a film's language is unknown; the run itself reports the missing ffmpeg.
    Effect.orElseSucceed(() => [])
  )
  const ofVideo = new Map<string, string | undefined>(languages)
  return found.map((script) => {
    const language = script.video === undefined ? undefined : ofVideo.get(script.video)
    return language !== undefined &&
      script.language !== undefined &&
      languageCode(language) === languageCode(script.language)
      ? { ...script, ownLanguage: language }
      : script
  })
})

const scripts = [...subtitleFiles, "*.{txt,md}"]
const videos = ["**/*.{mp4,mkv,mov,webm,m4v}"]
const sounds = ["**/*.wav"]
const ignored = [...elsewhere, "**/README.md", "**/LICENSE.*"]

const scriptsIn = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  const list = (patterns: ReadonlyArray<string>) =>
    Effect.promise(() =>
      glob([...patterns], {
        cwd: folder,
        deep: depth,
        onlyFiles: true,
        ignore: ignored,
        // FILM.SRT is a subtitle too.
        caseSensitiveMatch: false
      })
    ).pipe(Effect.map(Array.sort(Order.string)))
  const [files, films, beds] = yield* Effect.all([
    Effect.flatMap(list(scripts), foundOnce(folder)),
    list(videos),
    list(sounds)
  ])
  const kept = yield* Effect.forEach(files.slice(0, most), (file) =>
    foundScript(path, folder, file, films, beds)
  )
  return kept.flat()
})

/** Keeps the shortest of several paths to the same file (through links), so that it is not dubbed twice. */
const foundOnce = (folder: string) =>
  Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const shortest = new Map<string, string>()
    for (const file of files) {
      const real = yield* fs.realPath(path.join(folder, file)).pipe(Effect.orElseSucceed(() => file))
      if (file.length < (shortest.get(real) ?? `${file} `).length) shortest.set(real, file)
    }
    const kept = new Set(shortest.values())
    return files.filter((file) => kept.has(file))
  })

/** Maximum number of jobs in a written manifest, to keep it readable; users can add a glob for the rest. */
const most = 200

const foundScript = Effect.fnUntraced(function* (
  path: Path.Path,
  folder: string,
  file: string,
  films: ReadonlyArray<string>,
  sounds: ReadonlyArray<string>
) {
  const content = yield* Effect.option(readInput(path.join(folder, file), file))
  const script = content._tag === "Some" ? Either.getRight(readScript(content.value.bytes, file)) : content
  if (script._tag === "None") return []
  const stem = path.parse(file).name
  const { language, title } = languageInName(file)
  const named = films.filter((name) => [title, stem].includes(path.parse(name).name))
  const film = named.find((name) => path.dirname(name) === path.dirname(file)) ?? named[0]
  const beds = script.value._tag === "Subtitle" ? sounds.filter((name) => isBed(name, title)) : []
  const bed = beds.find((name) => path.dirname(name) === path.dirname(film ?? file)) ?? beds[0]
  return [
    {
      id: jobNameFrom(stem),
      path: file,
      language,
      video: script.value._tag === "Subtitle" ? film : undefined,
      ...(bed === undefined ? {} : { background: bed }),
      ...speakersIn(script.value)
    } satisfies FoundScript
  ]
})

/** Names of music and effects, as in `E01.me.wav`, `E01_M&E.wav`, `E01 music and effects.wav` and `me/E01.wav`. */
const bedWords =
  /^(?:m ?(?:[&+n]|and)? ?e|music ?(?:[&+n]|and)? ?(?:effects|fx|sfx)|beds?|background)(?: (?:mix|stereo|5 1))?$/iu

/** Whether a sound's name is a title and a word for music and effects, or its folder's name is such a word. */
const isBed = (file: string, title: string): boolean => {
  const { dir, name } = parse(file)
  if (!name.startsWith(title)) return false
  const rest = name
    .slice(title.length)
    .replaceAll(/[\s._-]+/gu, " ")
    .trim()
  return bedWords.test(rest === "" ? basename(dir).replaceAll(/[\s._-]+/gu, " ") : rest)
}

/** Returns the speakers named in a subtitle, most cues first, and whether many cues are unnamed. */
const speakersIn = (script: Script): Pick<FoundScript, "speakers" | "followUps"> => {
  if (script._tag === "Narration") return { speakers: [] }
  const { cues } = spokenWords(script, {}, emptyLexicon)
  const followUps = followUpsOf(cues, script.cues)
  const speakers = speakersOf(cues)
    .flatMap(({ speaker }) => speaker ?? [])
    .slice(0, 40)
  return { speakers, ...(followUps === undefined ? {} : { followUps }) }
}

/** Makes script ids unique, among each other and against the existing jobs' ids. */
const withIdsOfTheirOwn = (found: ReadonlyArray<FoundScript>, taken: ReadonlyArray<string>) => {
  const seen = new Map(taken.map((id) => [id.toLowerCase(), 1]))
  return found.map((script) => {
    const name = script.id.toLowerCase()
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? script : { ...script, id: `${script.id}-${count}` }
  })
}

// Prompts of `init`: asks on a terminal for choices that the command line does not make.

/** Choices made before the manifest is written. */
interface InitChoices {
  readonly service: ManifestService
  /** Language of scripts whose file names do not show it. */
  readonly language: string | undefined
  /** Whether to output films with the new track. */
  readonly films: boolean
  /** Sound under the new voices. */
  readonly sound: FilmSound
}

/** Choices already made by the command line or by an existing manifest. */
interface InitSaid {
  readonly service: ManifestService | undefined
  readonly language: string | undefined
  readonly sound?: FilmSound | undefined
}

/** Asks for the choices not made yet; Ctrl-C ends the command. */
export const askChoices = Effect.fn("InitCommand.askChoices")(
  function* (found: ReadonlyArray<FoundScript>, said: InitSaid) {
    const videos = found.flatMap(({ video }) => video ?? [])
    const hasBeds = found.every(({ video, background }) => video === undefined || background !== undefined)
    const choices: InitChoices = {
      service: said.service ?? (yield* service),
      language:
        said.language ?? (found.some(({ language }) => language === undefined) ? yield* language : undefined),
      films: videos.length === 0 ? false : yield* filmsIn(videos),
      sound: said.sound ?? (hasBeds ? "voices" : yield* sound)
    }
    return choices
  },
  Effect.catchTag("QuitException", () => Effect.interrupt)
)

const service = Effect.gen(function* () {
  const remote = yield* Prompt.select({
    message: "Which speech service?",
    choices: [
      { title: "bundled", value: false, description: "offline, two engines, no account" },
      { title: "remote", value: true, description: "needs its key in DUBWRIGHT_API_KEY" }
    ]
  })
  const chosen: ManifestService = remote ? { baseUrl: yield* address } : "embedded"
  return chosen
})

const address = Prompt.text({
  message: "Service URL",
  default: "https://tts.example",
  validate: (text) =>
    /^https?:\/\/[^\s/]/u.test(text) ? Effect.succeed(text) : Effect.fail("expected an http or https URL")
})

const language = Prompt.text({
  message: "Language of subtitles whose file names do not show it (en, pt-BR, French …; may be empty)",
  validate: (text) => (text.trim() === "" ? Effect.succeed("") : languageNamed(text))
}).pipe(Prompt.map((text) => (text === "" ? undefined : text)))

const filmsIn = (videos: ReadonlyArray<string>) =>
  Prompt.confirm({
    message: `Also output the films with the new track (${[...new Set(videos.map(containerFor))].join(", ")})?`,
    initial: true
  })

const sound = Prompt.select<FilmSound>({
  message: "What should play under the new voices?",
  choices: [
    {
      title: "nothing (voices only)",
      value: "voices",
      description: "the film's own audio becomes a second track"
    },
    {
      title: "the film's own audio (voice-over)",
      value: "voice-over",
      description: "lowered while someone speaks"
    },
    {
      title: "music and effects (dub)",
      value: "music-and-effects",
      description: "for films whose audio has no dialogue"
    }
  ]
})

// Adds jobs to an existing manifest, keeping its comments, layout and everything else.

/** Appends jobs to a manifest's own; each job is YAML as `jobText` writes it. */
export const withJobs = (text: string, jobs: ReadonlyArray<string>): string => {
  const document = parseDocument(text)
  const list = document.get("jobs", true)
  if (!isSeq(list) || list.items.length === 0) {
    // All its jobs are commented out.
    document.set("jobs", document.createNode(jobs.flatMap((job): ReadonlyArray<unknown> => parseYaml(job))))
    return document.toString({ lineWidth: 0 })
  }
  if (list.flow !== true) {
    const added = behind(text, list, jobs)
    if (added !== undefined && isWhole(text, added, jobs.length)) return added
  }
  // A flow list, as in JSON, is reformatted; comments stay.
  for (const job of jobs) {
    const [value]: ReadonlyArray<unknown> = parseYaml(job)
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
