/** Writes a manifest to start from, made of the subtitles, texts and videos that lie in a folder. */
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Array, Effect, Either, Option, Order } from "effect"
import { glob } from "tinyglobby"
import type { Script } from "../domain/Cue.ts"
import type { LanguageTag } from "../domain/Ids.ts"
import { inputBytes } from "../pipeline/InputFile.ts"
import { jobNameFrom } from "../pipeline/JobName.ts"
import { languageInName } from "../pipeline/NamedLanguage.ts"
import { wordsOf as writingFault } from "../pipeline/ResultFolder.ts"
import { speakersOf } from "../script/Cast.ts"
import { emptyLexicon } from "../script/Lexicon.ts"
import { followUpsOf } from "../script/MidSentence.ts"
import { readScript } from "../script/ScriptFile.ts"
import { wordsOf } from "../script/Words.ts"
import { makeFolder } from "../store/Folder.ts"
import { embeddedVoice } from "./EmbeddedVoice.ts"
import { badUsage } from "./Ended.ts"
import { asked, type InitChoices } from "./InitQuestions.ts"
import { type FoundScript, manifestText } from "./InitManifest.ts"
import { shellWord } from "./Schedule.ts"
import { Screen } from "./Screen.ts"

export interface InitOptions {
  readonly folder: string
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  readonly language: LanguageTag | undefined
  readonly force: boolean
  readonly yes: boolean
}

const manifestName = "dubwright.yaml"

export const init = Effect.fn("InitCommand.init")(function* (options: InitOptions) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const screen = yield* Screen
  const folder = path.resolve(options.folder)
  const target = path.join(folder, manifestName)
  const unwritable = (cause: PlatformError) =>
    badUsage(`${target}: cannot be written: ${writingFault(cause)}`)
  const there = yield* Effect.option(fs.stat(folder))
  if (Option.exists(there, ({ type }) => type !== "Directory")) {
    return yield* badUsage(`${options.folder} is no folder: expected the one in which the subtitles are`)
  }
  yield* Effect.try({
    try: () => makeFolder(folder),
    catch: (cause) =>
      badUsage(`${target}: cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  if (!options.force && (yield* fs.exists(target).pipe(Effect.mapError(unwritable)))) {
    return yield* badUsage(`${target} is there already: edit it, or replace it with --force`)
  }
  const scripts = yield* scriptsIn(folder)
  const said = {
    service: options.embedded
      ? ("embedded" as const)
      : options.baseUrl === undefined
        ? undefined
        : { baseUrl: options.baseUrl },
    language: options.language
  }
  const onTerminal = process.stdin.isTTY && process.stdout.isTTY
  const { service, language, films }: InitChoices =
    onTerminal && !options.yes
      ? yield* asked(scripts, said)
      : { service: said.service ?? "embedded", language: said.language, films: true }
  const found = scripts.map((script): FoundScript => ({
    ...script,
    language: script.language ?? language,
    makesFilm: films
  }))
  const text = manifestText(path.basename(folder) || "dub", service, found, (language, position) =>
    service === "embedded" ? embeddedVoice(language, position) : undefined
  )
  yield* fs.writeFileString(target, text).pipe(Effect.mapError(unwritable))
  yield* screen.result(target)
  const named = path.relative(process.cwd(), target)
  yield* screen.say(
    `wrote a manifest with ${found.length === 0 ? "an example job" : `${found.length} ${found.length === 1 ? "job" : "jobs"}`}; ` +
      `look it over, then: dubwright plan ${shellWord(named.startsWith("..") ? target : named)}`
  )
})

const scripts = ["**/*.{srt,vtt,sbv,ass,ssa}", "*.{txt,md}"]
const videos = ["**/*.{mp4,mkv,mov,webm,m4v}"]
const elsewhere = ["**/node_modules/**", "**/.dubwright/**", "**/out/**", "**/README.md", "**/LICENSE.*"]

const scriptsIn = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  const list = (patterns: ReadonlyArray<string>) =>
    Effect.promise(() =>
      glob([...patterns], {
        cwd: folder,
        deep: 3,
        onlyFiles: true,
        ignore: elsewhere,
        // FILM.SRT is a subtitle too.
        caseSensitiveMatch: false
      })
    ).pipe(Effect.map(Array.sort(Order.string)))
  const [files, films] = yield* Effect.all([Effect.flatMap(list(scripts), foundOnce(folder)), list(videos)])
  const kept = yield* Effect.forEach(files.slice(0, most), (file) => foundScript(path, folder, file, films))
  return withIdsOfTheirOwn(kept.flat())
})

/** Of the paths that lead to one file, by links, the shortest: nobody wants it dubbed twice. */
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

/** More than a manifest that a person reads should hold; a glob does for the rest. */
const most = 200

const foundScript = Effect.fnUntraced(function* (
  path: Path.Path,
  folder: string,
  file: string,
  films: ReadonlyArray<string>
) {
  const bytes = yield* Effect.option(inputBytes(path.join(folder, file), file))
  const script = bytes._tag === "Some" ? Either.getRight(readScript(bytes.value, file)) : bytes
  if (script._tag === "None") return []
  const stem = path.parse(file).name
  const { language, title } = languageInName(file)
  const named = films.filter((name) => [title, stem].includes(path.parse(name).name))
  const film = named.find((name) => path.dirname(name) === path.dirname(file)) ?? named[0]
  return [
    {
      id: jobNameFrom(stem),
      path: file,
      language,
      video: script.value._tag === "Subtitle" ? film : undefined,
      ...speakersIn(script.value)
    } satisfies FoundScript
  ]
})

/** The names that a subtitle gives its speakers, those with most cues first, and whether many of their cues are unnamed. */
const speakersIn = (script: Script): Pick<FoundScript, "speakers" | "followUps"> => {
  if (script._tag === "Narration") return { speakers: [] }
  const { cues } = wordsOf(script, {}, emptyLexicon)
  const followUps = followUpsOf(cues, script.cues)
  const speakers = speakersOf(cues)
    .flatMap(({ speaker }) => speaker ?? [])
    .slice(0, 40)
  return { speakers, ...(followUps === undefined ? {} : { followUps }) }
}

const withIdsOfTheirOwn = (found: ReadonlyArray<FoundScript>): ReadonlyArray<FoundScript> => {
  const seen = new Map<string, number>()
  return found.map((script) => {
    const name = script.id.toLowerCase()
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? script : { ...script, id: `${script.id}-${count}` }
  })
}
