/** Prompts of `init`: asks on a terminal for choices that the command line does not make. */
import { Prompt } from "@effect/cli"
import { Effect } from "effect"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import type { FilmSound } from "./FilmSound.ts"
import { containerFor } from "../../domain/manifest/Outputs.ts"
import type { FoundScript, ManifestService } from "./InitManifest.ts"

/** Choices made before the manifest is written. */
export interface InitChoices {
  readonly service: ManifestService
  /** Language of scripts whose file names do not show it. */
  readonly language: string | undefined
  /** Whether to output films with the new track. */
  readonly films: boolean
  /** Sound under the new voices. */
  readonly sound: FilmSound
}

/** Choices already made by the command line or by an existing manifest. */
export interface InitSaid {
  readonly service: ManifestService | undefined
  readonly language: string | undefined
  readonly sound?: FilmSound | undefined
}

/** Asks for the choices not made yet; Ctrl-C ends the command. */
export const askChoices = Effect.fn("InitQuestions.askChoices")(
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
