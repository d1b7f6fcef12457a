/** Any local program as an engine: Piper, the system's espeak-ng, festival. Text goes in on stdin, audio comes out. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Config, type Duration, Effect, Option } from "effect"
import type { SampleRate } from "../../domain/time/Units.ts"
import {
  type ChildProgram,
  located,
  type ProgramFailed,
  runProgram,
  runProgramToFile
} from "./ChildProgram.ts"
import { type Engine, EngineUnavailable, type EngineVoice, type Speech, SpeechFailed } from "../Engine.ts"
import { singleLineSpeech } from "../text/SingleLineSpeech.ts"

/** A voice, and what stands for it among the arguments, such as a model's path; its id if absent. */
export interface CommandVoice extends EngineVoice {
  readonly argument?: string
}

export interface CommandOptions {
  /** How it is called in errors and settings. */
  readonly name: string
  /** An absolute path, or a name looked up on PATH. */
  readonly command: string
  /**
   * The arguments, fixed but for placeholders: `{voice}`, `{language}`, `{rate}` (1 is normal), `{stretch}` (1 / rate),
   * `{wpm}` (175 words a minute × rate), `{volume}`, `{pitch}` (semitones), and `{output}`, a file to write; without it
   * audio is taken from stdout. Each stays one argument, whatever stands in it.
   */
  readonly args: ReadonlyArray<string>
  readonly voices: ReadonlyArray<CommandVoice>
  /** Set where the output is bare 16-bit little-endian mono samples: their rate. */
  readonly rawRate?: SampleRate
  /** How the file at `{output}` ends; default "wav". */
  readonly extension?: string
  /** Whether text is written out before (numbers, dates, units); default false. */
  readonly normalise?: boolean
  /** Programs at once; default 2. */
  readonly concurrency?: number
  /** Default 60 seconds. */
  readonly timeout?: Duration.DurationInput
  /** Bytes of audio at most; default 256 MiB. */
  readonly maxBytes?: number
  /** Code points of a text at most; default 20,000. */
  readonly maxChars?: number
  /** Variables for the program, beside PATH, HOME, the locale and the temporary folder; no others reach it. */
  readonly env?: Readonly<Record<string, string>>
}

/** The variables that reach the program; keys and the like do not. */
const inherited = ["PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TEMP", "SystemRoot"]

/** The engine. Its programs end when what they were started for ends. */
export const makeCommandEngine = Effect.fnUntraced(function* (options: CommandOptions) {
  const { name } = options
  const maxBytes = options.maxBytes ?? 256 * 1024 * 1024
  const env = { ...(yield* Effect.orDie(environment)), ...options.env }
  const slots = yield* Effect.makeSemaphore(options.concurrency ?? 2)
  const writesFile = options.args.some((arg) => arg.includes("{output}"))

  const speak: Engine["speak"] = Effect.fn("CommandEngine.speak")(function* (request) {
    const voice = options.voices.find(({ id }) => id === request.voice)
    if (voice === undefined) {
      const expected = options.voices.map(({ id }) => id).join(", ")
      const detail = `no voice "${request.voice}": expected one of ${expected}`
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
    const bytes = yield* Effect.acquireUseRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "dubwright-speech-"))),
      (folder) => {
        const output = join(folder, `speech.${options.extension ?? "wav"}`)
        const program: ChildProgram = {
          file: options.command,
          args: options.args.map((arg) => filled(arg, { ...values, output })),
          env,
          cwd: folder,
          stdin: `${text}\n`,
          maxBytes,
          timeout: options.timeout ?? "60 seconds"
        }
        return writesFile ? runProgramToFile(program, output) : runProgram(program)
      },
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    ).pipe(
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
    check: Effect.flatMap(located(options.command, env["PATH"] ?? ""), (found) =>
      found
        ? Effect.void
        : Effect.fail(
            new EngineUnavailable({
              engine: name,
              detail: `no program "${options.command}": install it or give its path`
            })
          )
    )
  } satisfies Engine
})

const environment = Effect.map(
  Effect.forEach(inherited, (variable) =>
    Effect.map(Config.option(Config.string(variable)), (value) => [variable, value] as const)
  ),
  (found) =>
    Object.fromEntries(
      found.flatMap(([variable, value]) => (Option.isSome(value) ? [[variable, value.value]] : []))
    )
)

const placeholder = /\{(voice|language|rate|stretch|wpm|volume|pitch|output)\}/gu

/** An argument with its placeholders filled in; what is filled in is not looked at again. */
const filled = (arg: string, values: Readonly<Record<string, string>>): string =>
  arg.replace(placeholder, (written, key: string) => values[key] ?? written)

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

/** What a failed program means to whoever asked for speech. */
const explained = (options: CommandOptions, failure: ProgramFailed): EngineUnavailable | SpeechFailed => {
  const { name: engine, command } = options
  const detail = `"${command}": ${failure.detail}`
  switch (failure.reason) {
    case "not-started":
      return new EngineUnavailable({
        engine,
        detail: `${detail}: expected a program that can be run; install it or give its path`
      })
    case "exit":
      return new SpeechFailed({ engine, reason: "crashed", detail })
    case "timeout":
      return new SpeechFailed({ engine, reason: "timeout", detail })
    case "too-much":
      return new SpeechFailed({ engine, reason: "bad-output", detail })
  }
}

/** The program's bytes as speech: a file of any format, or samples if the settings say so. */
const speechOf = (options: CommandOptions, bytes: Buffer): Effect.Effect<Speech, SpeechFailed> => {
  const { name: engine, command, rawRate } = options
  const timing = { words: [], sentences: [] }
  if (bytes.length === 0) {
    const detail = `"${command}": it ended well but wrote no audio`
    return Effect.fail(new SpeechFailed({ engine, reason: "bad-output", detail }))
  }
  if (rawRate === undefined) return Effect.succeed({ _tag: "Encoded", bytes, ...timing })
  const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
  return Effect.succeed({ _tag: "Pcm", rate: rawRate, samples, ...timing })
}
