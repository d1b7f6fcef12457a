/** A recogniser that is a local program, such as whisper-cli or a script: a WAV file in, words on stdout. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { HelperFailed } from "../helpers/HelperFailed.ts"
import { type HelperProgramOptions, makeHelperProgram } from "../helpers/HelperProgram.ts"
import { inTemporaryFolder } from "../program/ChildProgram.ts"
import type { Recogniser } from "./Recogniser.ts"
import { printedTranscript } from "./TranscriptText.ts"

/** Maximum bytes of output. */
const maxOutput = 4 * 1024 * 1024

/**
 * Makes the recogniser. In the program's arguments, `{audio}` or `{file}` is the clip's path and `{language}` its
 * primary language, or `auto`. A program ends when its clip is heard, or when the request is interrupted.
 */
export const makeCommandRecogniser = Effect.fnUntraced(function* (options: HelperProgramOptions) {
  const run = yield* makeHelperProgram("listen", maxOutput, options)
  const hear: Recogniser["hear"] = Effect.fn("CommandRecogniser.hear")((wav, language) =>
    inTemporaryFolder("listen", (folder) => {
      const audio = join(folder, "clip.wav")
      const spoken = language === undefined ? "auto" : primaryLanguage(language)
      return Effect.zipRight(
        Effect.promise(() => writeFile(audio, wav)),
        run({ audio, file: audio, language: spoken }, "")
      )
    }).pipe(
      Effect.flatMap((output) =>
        Effect.mapError(printedTranscript(output), (detail) => {
          const words = `${options.command[0]}: its output is ${detail}`
          return new HelperFailed({ reason: "one", detail: words })
        })
      )
    )
  )
  return {
    identity: `command ${JSON.stringify(options.command)}`,
    concurrency: options.concurrency,
    hear
  } satisfies Recogniser
})
