/** The manifest that `init` writes, and the jobs that it adds to one: complete, commented, made of what was found. */
import { Array } from "effect"
import type { FollowUps } from "../../script/spoken/MidSentence.ts"
import { followUpsText } from "../batch/StickySpeakersHint.ts"
import { yamlScalar } from "../../settings/YamlScalar.ts"

/** A subtitle or text that was found. Paths are relative to the manifest, with forward slashes. */
export interface FoundScript {
  readonly id: string
  readonly path: string
  readonly language: string | undefined
  readonly video: string | undefined
  /** Whether its film is made with the new track; default yes. */
  readonly makesFilm?: boolean
  /** The language code of the film's own sound, where it is the script's too: the job is proposed as a comment. */
  readonly ownLanguage?: string
  /** Names that the script gives its speakers, most lines first. */
  readonly speakers: ReadonlyArray<string>
  /** How many cues name nobody although speakers are named before them, where these are many. */
  readonly followUps?: FollowUps
}

/** Which voice to write for a language; undefined where only the user can know. */
export type VoiceFor = (
  language: string | undefined,
  position: number
) => { readonly provider: string; readonly voice: string } | undefined

/** The service that a manifest names. */
export type ManifestService = "embedded" | { readonly baseUrl: string }

/** What is heard beside the new voices. */
export const filmSounds = ["voices", "voice-over", "music-and-effects"] as const
export type FilmSound = (typeof filmSounds)[number]

/** A job's keys as values. */
export type JobKeys = Readonly<Record<string, unknown>>

/** The manifest's text in YAML. */
export const manifestText = (
  name: string,
  service: ManifestService,
  found: ReadonlyArray<FoundScript>,
  voiceFor: VoiceFor,
  sound: FilmSound = "voices"
): string => {
  const defaults: JobKeys = { outputs: usualOutputs, ...sharedKeys(found, voiceFor) }
  const [active, own] = Array.partition(found, ({ ownLanguage }) => ownLanguage !== undefined)
  return [
    "# A dubwright manifest: one job for each subtitle or text that is to be spoken.",
    "#   dubwright plan dubwright.yaml    what it takes and costs; sends nothing",
    "#   dubwright run dubwright.yaml     makes the dub; run it again to go on",
    "#   dubwright help manifest          every key",
    "",
    `name: ${yamlScalar(name)}`,
    "",
    ...(service === "embedded"
      ? [
          "# The service that speaks: embedded is the one that comes with dubwright. For a remote one, write",
          "#   service: { baseUrl: https://tts.example }   and put its key into DUBWRIGHT_API_KEY, never in here",
          "service: embedded"
        ]
      : [
          "# The service that speaks. Put its key into DUBWRIGHT_API_KEY, never in here.",
          "# service: embedded uses the one that comes with dubwright.",
          `service: { baseUrl: ${yamlScalar(service.baseUrl)} }`
        ]),
    "",
    "# These keys apply to every job that does not set them itself.",
    "defaults:",
    ...(service === "embedded" || "provider" in defaults
      ? []
      : ["  provider: provider_native       # dubwright providers lists them"]),
    ...keyLines(defaults, "  "),
    ...(service === "embedded" || "voice" in defaults
      ? []
      : ["  # voice: an-id                  # dubwright voices lists them"]),
    ...(found.some(({ video }) => video !== undefined) ? soundLines[sound] : []),
    "  # loudness: -16                 # LUFS; ebu-r128 is -23",
    "  # fit: { maxSpeed: 1.3, late: 0.5 }   # lines that are too long: at most 1.3 times faster, 0.5 s late",
    "",
    "jobs:",
    ...(found.length === 0 ? [example] : []),
    ...active.map((script) => jobText(script, found, voiceFor, defaults)),
    ...(active.length > 0 && own.length > 0 ? [""] : []),
    ...own.map((script) => jobText(script, found, voiceFor, defaults)),
    ...(active.length === 0 && own.length > 0 ? ["  []"] : []),
    ""
  ].join("\n")
}

const soundLines: Readonly<Record<FilmSound, ReadonlyArray<string>>> = {
  voices: [
    "  original: keep                  # the film's own sound: keep as a second track, drop, or duck under the voices"
  ],
  "voice-over": [
    "  original: duck                  # the film's own sound is lowered under the voices; or keep as a second track, drop",
    "  duck: { amount: 12 }            # by so many decibels while someone speaks"
  ],
  "music-and-effects": [
    "  # The films' own sound must be music and effects without dialogue: it stays nearly as loud under the voices.",
    "  original: duck",
    "  duck: { amount: 1 }             # the least, in decibels"
  ]
}

const example = [
  "  - id: my-film-en                # also the name of its folder and files",
  "    input: my-film.en.srt         # .srt .vtt .sbv .ass .txt .md .json; a glob makes one job a file",
  "    # video: my-film.mp4          # the result is as long as the video",
  "    language: en",
  "    # voice: an-id",
  "    # speakers: { ANNA: { voice: an-id }, BO: { voice: another-id } }"
].join("\n")

/** The position of each speaker's voice among those of a language: the same in every script. */
const positionsOf = (
  found: ReadonlyArray<FoundScript>,
  language: string | undefined
): ReadonlyMap<string, number> => {
  const names = found.filter((script) => script.language === language).flatMap(({ speakers }) => speakers)
  return new Map([...new Set(names)].map((name, position) => [name, position]))
}

const usualOutputs = ["wav", "srt"]

/** Keys that `defaults` can take over, with their values. */
const commonKeys = (script: FoundScript, voiceFor: VoiceFor): JobKeys => {
  const voice = voiceFor(script.language, 0)
  return {
    outputs:
      script.video === undefined || script.makesFilm === false
        ? usualOutputs
        : ["wav", containerFor(script.video), "srt"],
    ...(script.language === undefined ? {} : { language: script.language }),
    ...voice
  }
}

/** The container of the video itself; MP4 for what only looks like one. */
export const containerFor = (video: string): string => {
  const ending = /\.(?<ending>mkv|mov|webm)$/iu.exec(video)?.groups?.["ending"]
  return ending === undefined ? "mp4" : ending.toLowerCase()
}

/** What two jobs or more all have in common, and the voices of speakers who are in several of them. */
const sharedKeys = (found: ReadonlyArray<FoundScript>, voiceFor: VoiceFor): JobKeys => {
  const active = found.filter(({ ownLanguage }) => ownLanguage === undefined)
  const [first, ...others] = active
  if (first === undefined || others.length === 0) return {}
  const keys = Object.entries(commonKeys(first, voiceFor)).filter(([key, value]) =>
    others.every((script) => isSame(commonKeys(script, voiceFor)[key], value))
  )
  const oneLanguage = others.every(({ language }) => language === first.language)
  const recurring = oneLanguage
    ? [...positionsOf(found, first.language).keys()].filter(
        (name) => active.filter(({ speakers }) => speakers.includes(name)).length > 1
      )
    : []
  const speakers = castOf(recurring, first.language, found, voiceFor)
  return {
    ...Object.fromEntries(keys),
    ...(Object.keys(speakers).length === 0 ? {} : { speakers })
  }
}

/** A voice for each of these speakers; empty where only the user can know them. */
const castOf = (
  names: ReadonlyArray<string>,
  language: string | undefined,
  found: ReadonlyArray<FoundScript>,
  voiceFor: VoiceFor
): Readonly<Record<string, unknown>> => {
  const positions = positionsOf(found, language)
  return Object.fromEntries(
    names.flatMap((name) => {
      const voice = voiceFor(language, positions.get(name) ?? 0)
      return voice === undefined ? [] : [[name, voice] as const]
    })
  )
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** One job in YAML, without what `defaults` say already. `found` are all scripts of the manifest. */
export const jobText = (
  script: FoundScript,
  found: ReadonlyArray<FoundScript>,
  voiceFor: VoiceFor,
  defaults: JobKeys
): string => {
  const inherited: JobKeys = {
    outputs: usualOutputs,
    ...(script.ownLanguage === undefined ? defaults : { outputs: undefined })
  }
  const common = commonKeys(script, voiceFor)
  const keys = Object.entries(common).filter(([key, value]) => !isSame(inherited[key], value))
  // Voices of another language do not suit the same speakers.
  const known = new Set(
    inherited["language"] === undefined || inherited["language"] === script.language
      ? Object.keys(Object(inherited["speakers"]))
      : []
  )
  const names = script.speakers.filter((name) => !known.has(name))
  const cast = castOf(names, script.language, found, voiceFor)
  const lines = [
    `  - id: ${yamlScalar(script.id)}`,
    `    input: ${yamlScalar(script.path)}`,
    script.video === undefined
      ? "    # video: film.mp4            # the result is as long as the video"
      : `    video: ${yamlScalar(script.video)}`,
    ...keyLines(Object.fromEntries(keys), "    "),
    ...(script.language === undefined && !("language" in inherited)
      ? ["    # language: en               # en, vi, pt-BR, French …"]
      : []),
    ...("voice" in common || "voice" in inherited
      ? []
      : [
          "    # voice: an-id               # for whoever has none of their own; dubwright voices lists them"
        ]),
    ...(script.followUps === undefined
      ? []
      : [
          `    # ${followUpsText(script.followUps)}; this keeps the speaker before them:`,
          "    # text: { stickySpeakers: true }"
        ]),
    ...(Object.keys(cast).length > 0
      ? keyLines({ speakers: cast }, "    ")
      : names.length > 0
        ? ["    # speakers:", ...names.map((name) => `    #   ${yamlScalar(name)}: { voice: an-id }`)]
        : [])
  ]
  return script.ownLanguage === undefined ? lines.join("\n") : commentedOut(script, lines)
}

const commentedOut = ({ path, video, ownLanguage }: FoundScript, lines: ReadonlyArray<string>): string =>
  [
    `  # ${inOneLine(path)} is in the film's own language (${ownLanguage ?? ""} in ${inOneLine(video ?? "")}). To dub it all the same, uncomment:`,
    ...lines.map((line) => `  # ${line.slice(2)}`)
  ].join("\n")

/** A name inside a comment, which ends with its line. */
const inOneLine = (name: string): string => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")

/** Keys with their values, each list in one line, each speaker on a line of their own. */
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
    .map(([key, inner]) => `${key}: ${yamlScalar(String(inner))}`)
    .join(", ")} }`
}
