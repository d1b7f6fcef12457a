/** What `init` asks on a terminal where the command line does not say it. */
import { Prompt } from "@effect/cli"
import { Effect } from "effect"
import { languageNamed } from "../domain/LanguageName.ts"
import type { FoundScript, ManifestService } from "./InitManifest.ts"

/** What is settled before the manifest is written. */
export interface InitChoices {
  readonly service: ManifestService
  /** Of scripts whose names do not tell it. */
  readonly language: string | undefined
  /** Whether films are made with the new track. */
  readonly films: boolean
}

/** Asks what is not said yet; Ctrl-C ends the command. */
export const asked = Effect.fn("InitQuestions.ask")(
  function* (
    found: ReadonlyArray<FoundScript>,
    said: { readonly service: ManifestService | undefined; readonly language: string | undefined }
  ) {
    const choices: InitChoices = {
      service: said.service ?? (yield* service),
      language:
        said.language ?? (found.some(({ language }) => language === undefined) ? yield* language : undefined),
      films: found.some(({ video }) => video !== undefined) ? yield* films : false
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

const films = Prompt.confirm({
  message: "Also make the films with the new track (mp4)?",
  initial: true
})
