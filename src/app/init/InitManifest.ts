/** Text of the commented manifest that `init` writes, and of the jobs that it adds to one. */
import { Array } from "effect"
import { containerFor, usualOutputs } from "../../domain/manifest/Outputs.ts"
import type { FollowUps } from "../../script/spoken/MidSentence.ts"
import { followUpsText } from "../batch/StickySpeakersHint.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"
import type { FilmSound } from "./FilmSound.ts"

/** A subtitle or text found in the folder. Paths are relative to the manifest, with forward slashes. */
export interface FoundScript {
  readonly id: string
  readonly path: string
  readonly language: string | undefined
  readonly video: string | undefined
  /** A WAV file of music and effects whose name contains the script's title. */
  readonly background?: string
  /** Whether to output its film with the new track; default true. */
  readonly makesFilm?: boolean
  /** Language code of the film's own audio, if the script has the same; its job is then commented out. */
  readonly ownLanguage?: string
  /** Speakers named in the script, most lines first. */
  readonly speakers: ReadonlyArray<string>
  /** Unnamed cues that follow named speakers, if there are many. */
  readonly followUps?: FollowUps
}

/** An entry of `jobs`. */
export interface ManifestEntry {
  readonly scripts: Array.NonEmptyReadonlyArray<FoundScript>
  /** A pattern's input, films and backgrounds; absent for the entry of one script. */
  readonly pattern?: FilePattern
}

/** What a pattern matches; `match` leaves scripts in the films' own language out. */
export interface FilePattern {
  readonly input: string
  readonly video?: string
  readonly background?: string
  readonly match?: Readonly<Record<string, string>>
}

/** Returns the voice to write for a speaker, or for other lines; undefined if only the user can choose one. */
export type VoiceFor = (
  language: string | undefined,
  speaker?: string
) => { readonly provider: string; readonly voice: string } | undefined

/** The service that a manifest names. */
export type ManifestService = "embedded" | { readonly baseUrl: string }

/** A job's keys as values. */
export type JobKeys = Readonly<Record<string, unknown>>

/** Returns the manifest as YAML text. */
export const manifestText = (
  name: string,
  service: ManifestService,
  entries: ReadonlyArray<ManifestEntry>,
  voiceFor: VoiceFor,
  sound: FilmSound = "voices"
): string => {
  const [active, own] = Array.partition(
    entries,
    ({ scripts: [{ ownLanguage }] }) => ownLanguage !== undefined
  )
  const defaults: JobKeys = { outputs: usualOutputs, ...sharedKeys(active) }
  const scripts = active.flatMap(({ scripts }) => scripts)
  return [
    "# A dubwright manifest: one job per subtitle or text to speak.",
    "#   dubwright plan dubwright.yaml    shows what would be spoken and what it costs; spends nothing",
    "#   dubwright run dubwright.yaml     makes the dub; run it again to resume",
    "#   dubwright help manifest          explains every key",
    "",
    `name: ${yamlScalar(name)}`,
    "",
    ...(service === "embedded"
      ? [
          "# The speech service. embedded is the one bundled with dubwright. For a remote service, write",
          "#   service: { baseUrl: https://tts.example }   and set its key in DUBWRIGHT_API_KEY, never in this file",
          "service: embedded"
        ]
      : [
          "# The speech service. Set its key in DUBWRIGHT_API_KEY, never in this file.",
          "# service: embedded uses the service bundled with dubwright.",
          `service: { baseUrl: ${yamlScalar(service.baseUrl)} }`
        ]),
    "",
    "# Defaults for jobs that do not set these keys themselves.",
    "defaults:",
    ...(service === "embedded"
      ? []
      : ["  provider: provider_native       # list them with: dubwright providers"]),
    ...keyLines(defaults, "  "),
    ...(service === "embedded"
      ? []
      : ["  # voice: an-id                  # list them with: dubwright voices"]),
    ...(scripts.some(({ video }) => video !== undefined) ? soundLines[sound] : []),
    "  # loudness: -16                 # LUFS; ebu-r128 is -23",
    "  # fit: { maxSpeed: 1.3, late: 0.5 }   # too-long lines: speak up to 1.3x faster, end up to 0.5 s late",
    "",
    ...castLines(scripts, voiceFor),
    "jobs:",
    ...(entries.length === 0 ? [example] : []),
    ...active.map((entry) => jobText(entry, defaults, sound)),
    ...(active.length > 0 && own.length > 0 ? [""] : []),
    ...own.map((entry) => jobText(entry, defaults, sound)),
    ...(active.length === 0 && own.length > 0 ? ["  []"] : []),
    ""
  ].join("\n")
}

const soundLines: Readonly<Record<FilmSound, ReadonlyArray<string>>> = {
  voices: [
    "  original: keep                  # the film's own audio: keep as a second track, drop, or duck under the voices"
  ],
  "voice-over": [
    "  original: duck                  # lower the film's own audio under the voices; or keep it as a second track, or drop it",
    "  duck: { amount: 12 }            # by 12 dB while someone speaks"
  ],
  "music-and-effects": [
    "  # The film's own audio must be music and effects without dialogue: it is lowered by only 1 dB under the voices.",
    "  original: duck",
    "  duck: { amount: 1 }             # in dB; 1 is the minimum"
  ]
}

const example = [
  "  - id: my-film-en                # also the name of its folder and files",
  "    input: my-film.en.srt         # .srt .vtt .ass .ttml .stl .scc .xlsx .txt …; a glob makes one job per file",
  "    # video: my-film.mp4          # the result gets the video's length",
  "    language: en",
  "    # speakers: { ANNA: { voice: an-id }, BO: { voice: another-id } }"
].join("\n")

/** An entry's keys that may move to `defaults`, with their values. */
const commonKeys = ({ scripts: [script], pattern }: ManifestEntry): JobKeys => ({
  outputs:
    script.video === undefined || script.makesFilm === false
      ? usualOutputs
      : ["wav", containerFor(script.video), "srt"],
  ...(script.language === undefined || pattern?.input.includes("{language}") === true
    ? {}
    : { language: script.language })
})

/** Keys that all entries share, if there are at least two jobs. */
const sharedKeys = (active: ReadonlyArray<ManifestEntry>): JobKeys => {
  const [first, ...others] = active
  if (first === undefined || (others.length === 0 && first.scripts.length === 1)) return {}
  return Object.fromEntries(
    Object.entries(commonKeys(first)).filter(([key, value]) =>
      others.every((entry) => isSame(commonKeys(entry)[key], value))
    )
  )
}

/** The `cast`: the voices of each language's lines and speakers, or where to write them. */
const castLines = (scripts: ReadonlyArray<FoundScript>, voiceFor: VoiceFor): ReadonlyArray<string> => {
  const voicesOf = (speakers: (script: FoundScript) => ReadonlyArray<string | undefined>) => {
    const all = scripts.flatMap((script) =>
      speakers(script).map((speaker) => ({
        name: speaker ?? "",
        language: script.language ?? "*",
        voice: voiceFor(script.language, speaker)
      }))
    )
    const known = all.filter(({ voice }) => voice !== undefined)
    return Object.entries(Array.groupBy(known.length > 0 ? known : all, ({ name }) => name)).map(
      ([name, voices]) =>
        `${yamlScalar(name)}: ${flow(Object.fromEntries(voices.map(({ language, voice = "an-id" }) => [language, voice])))}`
    )
  }
  const named = voicesOf(({ speakers }) => speakers)
  const usual = voicesOf(() => [undefined]).map((line) => line.replace(/^""/u, "default"))
  const isCast = scripts.some(({ language }) => voiceFor(language) !== undefined)
  if (!isCast && named.length === 0) return []
  return [
    "# Voices by language. default speaks lines without a speaker, and speakers of later files without a voice here.",
    ...[
      "cast:",
      ...usual.map((line) => `  ${line}`),
      ...(named.length === 0 ? [] : ["  speakers:", ...named.map((line) => `    ${line}`)])
    ].map((line) => (isCast ? line : `# ${line}`)),
    ""
  ]
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns one entry as YAML, without keys that `defaults` already set; `speakers` are voices that no cast holds. */
export const jobText = (
  entry: ManifestEntry,
  defaults: JobKeys,
  sound: FilmSound = "voices",
  speakers: JobKeys = {}
): string => {
  const { scripts, pattern } = entry
  const [script] = scripts
  const inherited: JobKeys = {
    outputs: usualOutputs,
    ...(script.ownLanguage === undefined ? defaults : { outputs: undefined })
  }
  const keys = Object.entries(commonKeys(entry)).filter(([key, value]) => !isSame(inherited[key], value))
  const { followUps } = scripts.find((one) => one.followUps !== undefined) ?? script
  const { video = script.video, background = script.background, match } = pattern ?? {}
  const lines = [
    ...(pattern === undefined
      ? [`  - id: ${yamlScalar(script.id)}`, `    input: ${yamlScalar(script.path)}`]
      : [`  - input: ${yamlScalar(pattern.input)}`]),
    video === undefined
      ? "    # video: film.mp4            # the result gets the video's length"
      : `    video: ${yamlScalar(video)}`,
    ...(background === undefined ? [] : keyLines({ background }, "    ")),
    // A background replaces the film's own sound.
    ...(background === undefined || sound === "voices" ? [] : ["    original: keep"]),
    ...(match === undefined
      ? []
      : [
          "    # Without match, subtitles in the films' own language are dubbed, too.",
          ...keyLines({ match }, "    ")
        ]),
    ...keyLines(Object.fromEntries(keys), "    "),
    ...(script.language === undefined && !("language" in inherited)
      ? ["    # language: en               # en, vi, pt-BR, French …"]
      : []),
    ...(followUps === undefined
      ? []
      : [
          `    # ${followUpsText(followUps)}; to keep the previous speaker instead:`,
          "    # text: { stickySpeakers: true }"
        ]),
    ...(Object.keys(speakers).length > 0 ? keyLines({ speakers }, "    ") : [])
  ]
  return script.ownLanguage === undefined ? lines.join("\n") : commentedOut(script, lines)
}

const commentedOut = ({ path, video, ownLanguage }: FoundScript, lines: ReadonlyArray<string>): string =>
  [
    `  # ${inOneLine(path)} is in the film's own language (${ownLanguage ?? ""} in ${inOneLine(video ?? "")}). To dub it anyway, uncomment:`,
    ...lines.map((line) => `  # ${line.slice(2)}`)
  ].join("\n")

/** Replaces line breaks and control characters in a name, so that it stays inside a comment line. */
const inOneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")

/** Formats keys and values as YAML lines: lists in flow style, one line per speaker. */
const keyLines = (keys: JobKeys, indent: string): ReadonlyArray<string> =>
  Object.entries(keys).flatMap(([key, value]) => {
    if (key === "speakers")
      return [
        `${indent}speakers:`,
        ...Object.entries(Object(value)).map(
          ([name, voice]) => `${indent}  ${yamlScalar(name)}: ${flow(voice)}`
        )
      ]
    return [`${indent}${key}: ${flow(value)}`]
  })

const flow = (value: unknown): string => {
  if (globalThis.Array.isArray(value)) return `[${value.map((one) => yamlScalar(String(one))).join(", ")}]`
  if (typeof value !== "object" || value === null) return yamlScalar(String(value))
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${yamlScalar(key)}: ${flow(inner)}`)
    .join(", ")} }`
}
