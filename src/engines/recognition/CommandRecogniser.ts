/** A recogniser that is a local program, such as whisper-cli or a script: a WAV file in, words on stdout. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Duration, Effect } from "effect"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { programEnvironment } from "../program/CommandEngine.ts"
import { HelperFailed } from "../helpers/HelperFailed.ts"
import { programFailed } from "../helpers/HelperProgram.ts"
import { filledArgument, inTemporaryFolder, runProgram } from "../program/ChildProgram.ts"
import type { Recogniser } from "./Recogniser.ts"
import { printedTranscript } from "./TranscriptText.ts"

export interface CommandRecogniserOptions {
  /**
   * The program and its arguments. In each, `{audio}` or `{file}` is the clip's path and `{language}` its primary
   * language, or `auto`.
   */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The base folder of the program's relative paths. */
  readonly folder: string
  readonly concurrency: number
  /** Maximum time for a clip; the program is killed after it. */
  readonly timeout: Duration.DurationInput
}

/** Maximum bytes of output. */
const maxOutput = 4 * 1024 * 1024

/** Makes the recogniser. A program ends when its clip is heard, or when the request is interrupted. */
export const makeCommandRecogniser = Effect.fnUntraced(function* (options: CommandRecogniserOptions) {
  const [file, ...args] = options.command
  const env = yield* programEnvironment
  const hear: Recogniser["hear"] = Effect.fn("CommandRecogniser.hear")((wav, language) =>
    inTemporaryFolder("listen", (folder) => {
      const audio = join(folder, "clip.wav")
      const values = {
        audio,
        file: audio,
        language: language === undefined ? "auto" : primaryLanguage(language)
      }
      return Effect.zipRight(
        Effect.promise(() => writeFile(audio, wav)),
        runProgram({
          file,
          args: args.map((arg) => filledArgument(arg, values)),
          env,
          cwd: options.folder,
          stdin: "",
          maxBytes: maxOutput,
          timeout: options.timeout
        })
      )
    }).pipe(
      Effect.mapError((failure) => programFailed("listen", file, failure)),
      Effect.flatMap((output) =>
        Effect.mapError(
          printedTranscript(output.toString("utf8")),
          (detail) => new HelperFailed({ reason: "one", detail: `${file}: its output is ${detail}` })
        )
      )
    )
  )
  return {
    identity: `command ${JSON.stringify(options.command)}`,
    concurrency: options.concurrency,
    hear
  } satisfies Recogniser
})
