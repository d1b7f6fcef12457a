/** What `init` asks on a terminal where the command line does not say it. */
import { Prompt } from "@effect/cli"
import { Effect } from "effect"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import { containerFor, type FilmSound, type FoundScript, type ManifestService } from "./InitManifest.ts"

/** What is settled before the manifest is written. */
export interface InitChoices {
  readonly service: ManifestService
  /** Of scripts whose names do not tell it. */
  readonly language: string | undefined
  /** Whether films are made with the new track. */
  readonly films: boolean
  /** What is heard beside the new voices. */
  readonly sound: FilmSound
}

/** What the command line, or the manifest that is added to, says already. */
export interface InitSaid {
  readonly service: ManifestService | undefined
  readonly language: string | undefined
  readonly sound?: FilmSound | undefined
}

/** Asks what is not said yet; Ctrl-C ends the command. */
export const askChoices = Effect.fn("InitQuestions.ask")(
  function* (found: ReadonlyArray<FoundScript>, said: InitSaid) {
    const videos = found.flatMap(({ video }) => video ?? [])
    const choices: InitChoices = {
      service: said.service ?? (yield* service),
      language:
        said.language ?? (found.some(({ language }) => language === undefined) ? yield* language : undefined),
      films: videos.length === 0 ? false : yield* filmsIn(videos),
      sound: said.sound ?? (videos.length === 0 ? "voices" : yield* sound)
    }
    return choices
  },
  Effect.catchTag("QuitException", () => Effect.interrupt)
)

const service = Effect.gen(function* () {
  const remote = yield* Prompt.select({
    message: "Which service speaks?",
    choices: [
      { title: "the bundled one", value: false, description: "offline, two engines, no account" },
      { title: "a remote one", value: true, description: "its key goes into DUBWRIGHT_API_KEY" }
    ]
  })
  const chosen: ManifestService = remote ? { baseUrl: yield* address } : "embedded"
  return chosen
})

const address = Prompt.text({
  message: "Its address",
  default: "https://tts.example",
  validate: (text) =>
    /^https?:\/\/[^\s/]/u.test(text) ? Effect.succeed(text) : Effect.fail("expected an http or https address")
})

const language = Prompt.text({
  message: "The language of subtitles whose names do not say it (en, pt-BR, French …; may stay empty)",
  validate: (text) => (text.trim() === "" ? Effect.succeed("") : languageNamed(text))
}).pipe(Prompt.map((text) => (text === "" ? undefined : text)))

const filmsIn = (videos: ReadonlyArray<string>) =>
  Prompt.confirm({
    message: `Also make the films with the new track (${[...new Set(videos.map(containerFor))].join(", ")})?`,
    initial: true
  })

const sound = Prompt.select<FilmSound>({
  message: "What is heard beside the new voices?",
  choices: [
    {
      title: "nothing: voices only",
      value: "voices",
      description: "the film's own sound stays as a second track"
    },
    {
      title: "the film's own sound: voice-over",
      value: "voice-over",
      description: "lowered while someone speaks"
    },
    {
      title: "music and effects: a dub",
      value: "music-and-effects",
      description: "for films whose sound has no dialogue"
    }
  ]
})
