/** The manifest that `init` writes: complete, commented, and made of what was found. */
import type { FollowUps } from "../script/MidSentence.ts"
import { followUpsText } from "./StickyHint.ts"
import { scalar } from "./YamlText.ts"

/** A subtitle or text that was found. Paths are relative to the manifest, with forward slashes. */
export interface FoundScript {
  readonly id: string
  readonly path: string
  readonly language: string | undefined
  readonly video: string | undefined
  /** Whether its film is made with the new track; default yes. */
  readonly makesFilm?: boolean
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

/** The manifest's text in YAML. */
export const manifestText = (
  name: string,
  service: ManifestService,
  found: ReadonlyArray<FoundScript>,
  voiceFor: VoiceFor
): string =>
  [
    "# A dubwright manifest. Check it with: dubwright plan <this file>",
    "# Then make the dub with:             dubwright run <this file>",
    "# Every key, for editors:             dubwright schema",
    "",
    `name: ${scalar(name)}`,
    "",
    ...(service === "embedded"
      ? [
          "# The service that speaks. embedded is the one that comes with dubwright; a remote one is written as",
          "#   service: { baseUrl: https://tts.example }   (its key goes into DUBWRIGHT_API_KEY, never in here)",
          "service: embedded"
        ]
      : [
          "# The service that speaks; its key goes into the environment as DUBWRIGHT_API_KEY, never in here.",
          "# service: embedded uses the one that comes with dubwright.",
          `service: { baseUrl: ${scalar(service.baseUrl)} }`
        ]),
    "",
    "# What every job takes where it does not say itself.",
    "defaults:",
    "  provider: provider_native       # see: dubwright providers",
    "  # voice: an-id                  # see: dubwright voices",
    "  # fit: { maxSpeed: 1.3, hardMaxSpeed: 1.6, early: 0.3, late: 0.5 }   # how far lines may be sped up (times) and moved (s)",
    "  # loudness: -16                 # LUFS of the result; ebu-r128 is -23",
    "  # original: keep                # the film's own sound: keep as a further track, drop, or duck under the voices",
    "  # onFailure: fail               # or silence: deliver with a gap where a cue could not be spoken",
    "  outputs: [wav, srt]             # also: flac mp3 m4a opus mp4 mkv mov webm vtt stems clips",
    "",
    "jobs:",
    ...(found.length === 0 ? [example] : found.map((script) => jobText(script, voiceFor))),
    ""
  ].join("\n")

const example = [
  "  - id: my-film-en                # also the name of its folder and files",
  "    input: my-film.en.srt         # .srt .vtt .sbv .ass .txt .md .json; a glob makes one job a file",
  "    # video: my-film.mp4          # its length is the result's length",
  "    language: en",
  "    # voice: an-id",
  "    # speakers: { ANNA: { voice: an-id }, BO: { voice: another-id } }"
].join("\n")

const jobText = (script: FoundScript, voiceFor: VoiceFor): string => {
  const voice = voiceFor(script.language, 0)
  return [
    `  - id: ${scalar(script.id)}`,
    `    input: ${scalar(script.path)}`,
    ...(script.video === undefined
      ? ["    # video: film.mp4            # its length is the result's length"]
      : [
          `    video: ${scalar(script.video)}`,
          ...(script.makesFilm === false ? [] : ["    outputs: [wav, mp4, srt]"])
        ]),
    script.language === undefined
      ? "    # language: en               # what is spoken, as a tag such as en, vi or pt-BR"
      : `    language: ${scalar(script.language)}`,
    voice === undefined
      ? "    # voice: an-id               # for whoever has none of their own; see: dubwright voices"
      : `    provider: ${scalar(voice.provider)}\n    voice: ${scalar(voice.voice)}`,
    ...(script.followUps === undefined
      ? []
      : [
          `    # ${followUpsText(script.followUps)}; this keeps the speaker before them:`,
          "    # text: { stickySpeakers: true }"
        ]),
    ...(script.speakers.length === 0
      ? []
      : [
          `    ${voice === undefined ? "# " : ""}speakers:`,
          ...script.speakers.map((speaker, position) => {
            const own = voiceFor(script.language, position)
            return own === undefined
              ? `    #   ${scalar(speaker)}: { voice: an-id }`
              : `      ${scalar(speaker)}: { provider: ${scalar(own.provider)}, voice: ${scalar(own.voice)} }`
          })
        ])
  ].join("\n")
}
