/** An engine that runs a local program such as Piper, espeak-ng or Festival: text on stdin, audio out. */
import { join } from "node:path"
import { Config, type Duration, Effect, Option } from "effect"
import type { SampleRate } from "../../domain/time/Units.ts"
import {
  type ChildProgram,
  filledArgument,
  inTemporaryFolder,
  located,
  type ProgramFailed,
  runProgram,
  runProgramToFile
} from "./ChildProgram.ts"
import { type Engine, EngineUnavailable, type EngineVoice, type Speech, SpeechFailed } from "../Engine.ts"
import { singleLineSpeech } from "../text/SingleLineSpeech.ts"

/** A voice and its value among the arguments, such as a model's path; default its id. */
export interface CommandVoice extends EngineVoice {
  readonly argument?: string
}

export interface CommandOptions {
  /** The engine's name in errors and settings. */
  readonly name: string
  /** An absolute path, or a name looked up on PATH. */
  readonly command: string
  /**
   * The arguments, with placeholders: `{voice}`, `{language}`, `{rate}` (1 is normal), `{stretch}` (1 / rate), `{wpm}`
   * (175 words per minute × rate), `{volume}`, `{pitch}` (semitones) and `{output}` (a file to write). Without
   * `{output}`, audio is read from stdout. Each item stays one argument, whatever its values contain.
   */
  readonly args: ReadonlyArray<string>
  readonly voices: ReadonlyArray<CommandVoice>
  /** Sample rate of raw output: 16-bit little-endian mono samples without a header. */
  readonly rawRate?: SampleRate
  /** Extension of the file at `{output}`; default "wav". */
  readonly extension?: string
  /** Whether to write out numbers, dates and units first; default false. */
  readonly normalise?: boolean
  /** Maximum concurrent programs; default 2. */
  readonly concurrency?: number
  /** Default 60 seconds. */
  readonly timeout?: Duration.DurationInput
  /** Maximum bytes of audio; default 256 MiB. */
  readonly maxBytes?: number
  /** Maximum code points of a text; default 20,000. */
  readonly maxChars?: number
  /** Environment variables of the program, besides PATH, HOME, locale and temporary folder. It gets no others. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * The environment variables that the program inherits; keys and other secrets are not passed on. Those in the last line
 * are for Windows: Python, for example, finds the user's packages by APPDATA.
 */
const inherited = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"],
  ...["TEMP", "TMP", "SystemRoot", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA"]
]

/** Makes the engine. A program ends when its request ends or is interrupted. */
export const makeCommandEngine = Effect.fnUntraced(function* (options: CommandOptions) {
  const { name } = options
  const maxBytes = options.maxBytes ?? 256 * 1024 * 1024
  const env = { ...(yield* programEnvironment), ...options.env }
  const slots = yield* Effect.makeSemaphore(options.concurrency ?? 2)
  const writesFile = options.args.some((arg) => arg.includes("{output}"))

  const speak: Engine["speak"] = Effect.fn("CommandEngine.speak")(function* (request) {
    const voice = options.voices.find(({ id }) => id === request.voice)
    if (voice === undefined) {
      const expected = options.voices.map(({ id }) => id).join(", ")
      const detail = `no voice "${request.voice}"; expected one of ${expected}`
      return yield* new SpeechFailed({ engine: name, reason: "unknown-voice", detail })
    }
    const language = request.language ?? voice.languages[0] ?? "en"
    const text = yield* singleLineSpeech(request, {
      engine: name,
      normalise: options.normalise ?? false,
      language,
      maxChars: options.maxChars ?? 20_000
    })
    const values = {
      voice: voice.argument ?? voice.id,
      language,
      rate: decimal(request.rate),
      stretch: decimal(1 / request.rate),
      wpm: String(Math.round(175 * request.rate)),
      volume: decimal(request.volume),
      pitch: decimal(request.pitch)
    }
    const bytes = yield* inTemporaryFolder("speech", (folder) => {
      const output = join(folder, `speech.${options.extension ?? "wav"}`)
      const program: ChildProgram = {
        file: options.command,
        args: options.args.map((arg) => filledArgument(arg, { ...values, output })),
        env,
        cwd: folder,
        stdin: `${text}\n`,
        maxBytes,
        timeout: options.timeout ?? "60 seconds"
      }
      return writesFile ? runProgramToFile(program, output) : runProgram(program)
    }).pipe(
      slots.withPermits(1),
      Effect.catchTag("ProgramFailed", (failure) => Effect.fail(explained(options, failure)))
    )
    return yield* speechOf(options, bytes)
  })

  return {
    name,
    controls: controlsOf(options.args),
    voices: Effect.succeed(options.voices.map(({ argument: _, ...voice }) => voice)),
    speak,
    check: Effect.flatMap(located(options.command, env), (found) =>
      found
        ? Effect.void
        : Effect.fail(
            new EngineUnavailable({
              engine: name,
              detail: `no program "${options.command}"; install it or set its path`
            })
          )
    )
  } satisfies Engine
})

/** The environment of a program, without keys and other secrets. */
export const programEnvironment = Effect.map(
  Effect.forEach(inherited, (variable) =>
    Effect.map(Config.option(Config.string(variable)), (value) => [variable, value] as const)
  ),
  (found) =>
    Object.fromEntries(
      found.flatMap(([variable, value]) => (Option.isSome(value) ? [[variable, value.value]] : []))
    )
).pipe(Effect.orDie)

const controlsOf = (args: ReadonlyArray<string>): Engine["controls"] => {
  const has = (...keys: ReadonlyArray<string>) =>
    keys.some((key) => args.some((arg) => arg.includes(`{${key}}`)))
  return [
    ...(has("rate", "stretch", "wpm") ? (["rate"] as const) : []),
    ...(has("volume") ? (["volume"] as const) : []),
    ...(has("pitch") ? (["pitch"] as const) : [])
  ]
}

const decimal = (value: number): string => String(Number(value.toFixed(4)))

/** Converts a failed program to an engine error. */
const explained = (options: CommandOptions, failure: ProgramFailed): EngineUnavailable | SpeechFailed => {
  const { name: engine, command } = options
  const detail = `"${command}": ${failure.detail}`
  switch (failure.reason) {
    case "not-started":
      return new EngineUnavailable({
        engine,
        detail: `${detail}: expected an executable program; install it or set its path`
      })
    case "busy":
      return new SpeechFailed({ engine, reason: "busy", detail })
    case "exit":
      return new SpeechFailed({ engine, reason: "crashed", detail })
    case "timeout":
      return new SpeechFailed({ engine, reason: "timeout", detail })
    case "too-much":
      return new SpeechFailed({ engine, reason: "bad-output", detail })
  }
}

/** Converts the program's output to speech: an audio file, or raw samples if `rawRate` is set. */
const speechOf = (options: CommandOptions, bytes: Buffer): Effect.Effect<Speech, SpeechFailed> => {
  const { name: engine, command, rawRate } = options
  const timing = { words: [], sentences: [] }
  if (bytes.length === 0) {
    const detail = `"${command}": it exited with code 0 but wrote no audio`
    return Effect.fail(new SpeechFailed({ engine, reason: "bad-output", detail }))
  }
  if (rawRate === undefined) return Effect.succeed({ _tag: "Encoded", bytes, ...timing })
  const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
  return Effect.succeed({ _tag: "Pcm", rate: rawRate, samples, ...timing })
}
