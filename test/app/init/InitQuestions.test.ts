/** Prompts of `init`, answered key by key. */
import { Terminal } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Mailbox, Option } from "effect"
import type { FoundScript } from "../../../src/app/init/InitManifest.ts"
import { askChoices } from "../../../src/app/init/InitCommand.ts"

type Key = "enter" | "down" | "backspace" | (string & {})

const pressed = (key: Key): Terminal.UserInput => ({
  input: key.length === 1 ? Option.some(key) : Option.none(),
  key: { name: key, ctrl: false, meta: false, shift: false }
})

/** Asks with these keys queued, followed by Ctrl-C; also returns the output shown. */
const answered = (keys: ReadonlyArray<Key>, ...ask: Parameters<typeof askChoices>) =>
  Effect.gen(function* () {
    const typed = yield* Mailbox.make<Terminal.UserInput>()
    yield* typed.offerAll(keys.map(pressed))
    yield* typed.end
    const shown: Array<string> = []
    const terminal = Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(true),
      readInput: Effect.succeed(typed),
      readLine: Effect.die("no prompt reads a whole line"),
      display: (text) => Effect.sync(() => void shown.push(text))
    })
    const choices = yield* askChoices(...ask).pipe(
      Effect.provideService(Terminal.Terminal, terminal),
      Effect.exit
    )
    return { choices, shown: shown.join("") }
  })

const script = (found: Partial<FoundScript>): FoundScript => ({
  id: "harbour",
  path: "harbour.srt",
  language: undefined,
  video: undefined,
  speakers: [],
  ...found
})

const nothingSaid = { service: undefined, language: undefined }

describe("init's questions", () => {
  it.scoped("take one key for each usual answer", () =>
    Effect.gen(function* () {
      const { choices } = yield* answered(
        ["enter", "v", "i", "enter", "enter", "down", "enter"],
        [script({ video: "harbour.mp4" })],
        nothingSaid
      )
      expect(choices).toEqual(
        Exit.succeed({ service: "embedded", language: "vi", films: true, sound: "voice-over" })
      )
    })
  )

  it.scoped("repeat the question for a remote service's URL until it is valid", () =>
    Effect.gen(function* () {
      const { choices, shown } = yield* answered(
        [
          "down",
          "enter",
          "t",
          "t",
          "s",
          "enter",
          ..."tts".split("").map(() => "backspace"),
          ..."http://tts",
          "enter"
        ],
        [script({ language: "vi" })],
        nothingSaid
      )
      expect(choices).toEqual(
        Exit.succeed({
          service: { baseUrl: "http://tts" },
          language: undefined,
          films: false,
          sound: "voices"
        })
      )
      expect(shown).toContain("expected an http or https URL")
    })
  )

  it.scoped("reject an invalid language; an empty one is allowed", () =>
    Effect.gen(function* () {
      const { choices, shown } = yield* answered(
        ["v", "_", "enter", "backspace", "backspace", "enter", "n", "enter"],
        [script({ video: "harbour.mp4" })],
        { service: "embedded", language: undefined }
      )
      expect(choices).toEqual(
        Exit.succeed({ service: "embedded", language: undefined, films: false, sound: "voices" })
      )
      expect(shown).toContain("expected a language such as en, vi, pt-BR or French")
    })
  )

  it.scoped("skip decisions that the command line or the files made", () =>
    Effect.gen(function* () {
      const { choices, shown } = yield* answered([], [script({})], { service: "embedded", language: "en" })
      expect(choices).toEqual(
        Exit.succeed({ service: "embedded", language: "en", films: false, sound: "voices" })
      )
      expect(shown).toBe("")
    })
  )

  it.scoped("end on Ctrl-C", () =>
    Effect.gen(function* () {
      const { choices } = yield* answered([], [script({})], nothingSaid)
      expect(Exit.isInterrupted(choices)).toBe(true)
    })
  )
})
