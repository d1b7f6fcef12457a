/** Text of the commented manifest that `init` writes, and of the jobs that it adds to one. */
import { Array } from "effect"
import { containerFor } from "../../domain/manifest/Outputs.ts"
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
  /** Whether to output its film with the new track; default true. */
  readonly makesFilm?: boolean
  /** Language code of the film's own audio, if the script has the same; its job is then commented out. */
  readonly ownLanguage?: string
  /** Speakers named in the script, most lines first. */
  readonly speakers: ReadonlyArray<string>
  /** Unnamed cues that follow named speakers, if there are many. */
  readonly followUps?: FollowUps
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
  found: ReadonlyArray<FoundScript>,
  voiceFor: VoiceFor,
  sound: FilmSound = "voices"
): string => {
  const defaults: JobKeys = { outputs: usualOutputs, ...sharedKeys(found, voiceFor) }
  const [active, own] = Array.partition(found, ({ ownLanguage }) => ownLanguage !== undefined)
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
    ...(service === "embedded" || "provider" in defaults
      ? []
      : ["  provider: provider_native       # list them with: dubwright providers"]),
    ...keyLines(defaults, "  "),
    ...(service === "embedded" || "voice" in defaults
      ? []
      : ["  # voice: an-id                  # list them with: dubwright voices"]),
    ...(found.some(({ video }) => video !== undefined) ? soundLines[sound] : []),
    "  # loudness: -16                 # LUFS; ebu-r128 is -23",
    "  # fit: { maxSpeed: 1.3, late: 0.5 }   # too-long lines: speak up to 1.3x faster, end up to 0.5 s late",
    "",
    "jobs:",
    ...(found.length === 0 ? [example] : []),
    ...active.map((script) => jobText(script, voiceFor, defaults)),
    ...(active.length > 0 && own.length > 0 ? [""] : []),
    ...own.map((script) => jobText(script, voiceFor, defaults)),
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
  "    # voice: an-id",
  "    # speakers: { ANNA: { voice: an-id }, BO: { voice: another-id } }"
].join("\n")

const usualOutputs = ["wav", "srt"]

/** A job's keys that may move to `defaults`, with their values. */
const commonKeys = (script: FoundScript, voiceFor: VoiceFor): JobKeys => {
  const voice = voiceFor(script.language)
  return {
    outputs:
      script.video === undefined || script.makesFilm === false
        ? usualOutputs
        : ["wav", containerFor(script.video), "srt"],
    ...(script.language === undefined ? {} : { language: script.language }),
    ...voice
  }
}

/** Keys that all jobs share, if there are at least two, and voices of speakers who appear in several jobs. */
const sharedKeys = (found: ReadonlyArray<FoundScript>, voiceFor: VoiceFor): JobKeys => {
  const active = found.filter(({ ownLanguage }) => ownLanguage === undefined)
  const [first, ...others] = active
  if (first === undefined || others.length === 0) return {}
  const keys = Object.entries(commonKeys(first, voiceFor)).filter(([key, value]) =>
    others.every((script) => isSame(commonKeys(script, voiceFor)[key], value))
  )
  const oneLanguage = others.every(({ language }) => language === first.language)
  const recurring = oneLanguage
    ? [...new Set(active.flatMap(({ speakers }) => speakers))].filter(
        (name) => active.filter(({ speakers }) => speakers.includes(name)).length > 1
      )
    : []
  const speakers = castOf(recurring, first.language, voiceFor)
  return {
    ...Object.fromEntries(keys),
    ...(Object.keys(speakers).length === 0 ? {} : { speakers })
  }
}

/** A voice for each speaker; empty if only the user can choose them. */
const castOf = (
  names: ReadonlyArray<string>,
  language: string | undefined,
  voiceFor: VoiceFor
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const voice = voiceFor(language, name)
      return voice === undefined ? [] : [[name, voice] as const]
    })
  )

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns one job as YAML, without keys that `defaults` already set. */
export const jobText = (script: FoundScript, voiceFor: VoiceFor, defaults: JobKeys): string => {
  const inherited: JobKeys = {
    outputs: usualOutputs,
    ...(script.ownLanguage === undefined ? defaults : { outputs: undefined })
  }
  const common = commonKeys(script, voiceFor)
  const keys = Object.entries(common).filter(([key, value]) => !isSame(inherited[key], value))
  // Default speaker voices only suit a script in the same language.
  const known = new Set(
    inherited["language"] === undefined || inherited["language"] === script.language
      ? Object.keys(Object(inherited["speakers"]))
      : []
  )
  const names = script.speakers.filter((name) => !known.has(name))
  const cast = castOf(names, script.language, voiceFor)
  const lines = [
    `  - id: ${yamlScalar(script.id)}`,
    `    input: ${yamlScalar(script.path)}`,
    script.video === undefined
      ? "    # video: film.mp4            # the result gets the video's length"
      : `    video: ${yamlScalar(script.video)}`,
    ...keyLines(Object.fromEntries(keys), "    "),
    ...(script.language === undefined && !("language" in inherited)
      ? ["    # language: en               # en, vi, pt-BR, French …"]
      : []),
    ...("voice" in common || "voice" in inherited
      ? []
      : [
          "    # voice: an-id               # for speakers without their own; list voices with: dubwright voices"
        ]),
    ...(script.followUps === undefined
      ? []
      : [
          `    # ${followUpsText(script.followUps)}; to keep the previous speaker instead:`,
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
    .map(([key, inner]) => `${key}: ${yamlScalar(String(inner))}`)
    .join(", ")} }`
}
