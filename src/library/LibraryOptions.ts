/** Options of the library's functions on a batch, and their checks. */
import { Array, Effect, Either, Schema } from "effect"
import type { Manifest, WrittenJob } from "../domain/manifest/Manifest.ts"
import type { BilingualChoice } from "../domain/manifest/ScriptSettings.ts"
import { OutputName } from "../domain/manifest/Outputs.ts"
import { LanguageWritten } from "../domain/values/LanguageName.ts"
import { ModelId, ProviderId, VoiceId } from "../domain/values/Ids.ts"
import { type InputRejected, rejectInput } from "../pipeline/load/InputRejected.ts"
import { checkValue } from "../pipeline/load/ManifestValue.ts"
import type { RunExecutor } from "../pipeline/run/RunExecutor.ts"
import type { Deadline } from "../pipeline/speak/SpeakSettings.ts"
import type { BatchSource, LoadFlags } from "./BatchLoading.ts"

/** A job of a manifest, as its author writes it. */
export type ManifestJob = typeof WrittenJob.Encoded

/** A manifest as its author writes it: all keys of docs/manifest.md. */
export type ManifestInput = Omit<typeof Manifest.Encoded, "jobs"> & {
  readonly jobs: ReadonlyArray<ManifestJob>
}

/** The batch: a manifest, or files. */
export type BatchInput =
  | {
      /** A manifest: a file's path, or a value. A value's paths are relative to `cwd`. */
      readonly manifest: string | ManifestInput
      readonly files?: undefined
    }
  | {
      /** Subtitles, texts or patterns, without a manifest: one job each. */
      readonly files: string | ReadonlyArray<string>
      readonly manifest?: undefined
    }

/** Options of `dub`, `plan` and `verify`. */
export type BatchCallOptions = BatchInput & {
  /** The base folder of relative paths; default: the process's working directory. */
  readonly cwd?: string | undefined
  /** The folder for results; default: `out` beside the manifest, else in `cwd`. */
  readonly out?: string | undefined
  /** The folder for clips and the run's state; default: `.dubwright` beside the manifest, else in `cwd`. */
  readonly state?: string | undefined
  /** A pattern: only jobs whose ids match. */
  readonly only?: string | undefined
  /** The voice of jobs that name none. */
  readonly voice?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  /** The language of jobs that name none: a tag such as `vi`, or an English name. */
  readonly language?: string | undefined
  /** Which language of a two-language subtitle to speak. */
  readonly bilingual?: BilingualChoice | undefined
  /** Outputs of jobs that name none; default: `wav` and `srt`. With `files`, also the film, if there is one. */
  readonly outputs?: ReadonlyArray<OutputName> | undefined
  /** The film of the only file, without a manifest. */
  readonly video?: string | undefined
  /** Tasks in flight per provider. */
  readonly concurrency?: number | undefined
}

/** Options of a run. */
export type DubCallOptions = BatchCallOptions & {
  /** The most credits to spend. */
  readonly maxCredits?: number | undefined
  /** Whether to start even if disk space or credits will not suffice; default: false. */
  readonly force?: boolean | undefined
  /** No new task is started after this time. */
  readonly deadline?: Date | undefined
  /** Whether to retry lines that failed permanently; default: false. */
  readonly retry?: boolean | undefined
}

/** Replaces the executor of a run. */
export interface ExecutorOption {
  /** Speaks and delivers; default: this process. */
  readonly executor?: RunExecutor | undefined
}

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)
const word = Schema.NonEmptyTrimmedString
const elsewhere = maybe(Schema.Unknown)

/** All options. Those marked `elsewhere` are checked where they are used, or by TypeScript only. */
const Options = Schema.Struct({
  cwd: maybe(word),
  out: maybe(word),
  state: maybe(word),
  only: maybe(word),
  voice: maybe(VoiceId),
  provider: maybe(ProviderId),
  model: maybe(ModelId),
  language: maybe(LanguageWritten),
  bilingual: maybe(Schema.Literal("first", "second", "all")),
  outputs: maybe(Schema.Array(OutputName)),
  video: maybe(word),
  concurrency: maybe(Schema.Int.pipe(Schema.between(1, 1_000))),
  maxCredits: maybe(Schema.NonNegative),
  force: maybe(Schema.Boolean),
  deadline: maybe(Schema.ValidDateFromSelf),
  retry: maybe(Schema.Boolean),
  manifest: elsewhere,
  files: maybe(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  executor: elsewhere,
  service: elsewhere,
  env: elsewhere,
  ffmpeg: elsewhere,
  signal: elsewhere,
  onProgress: elsewhere,
  onLog: elsewhere
})

/** Checks the options; fails with every fault at once. Callers in JavaScript have no type checks. */
export const readOptions = Effect.fn("LibraryOptions.readOptions")(function* (options: DubCallOptions) {
  const {
    maxCredits,
    deadline,
    force,
    retry = false,
    ...read
  } = yield* checkValue(Options, options, "options")
  const flags: LoadFlags = read
  return { source: yield* sourceOf(options), flags, maxCredits, deadline, force, retry }
})

const sourceOf = ({ manifest, files }: DubCallOptions): Either.Either<BatchSource, InputRejected> => {
  if (typeof manifest === "string") return Either.right({ files: [manifest] })
  if (manifest !== undefined) return Either.right({ value: manifest })
  const named = typeof files === "string" ? [files] : (files ?? [])
  return Array.isNonEmptyReadonlyArray(named)
    ? Either.right({ files: named })
    : Either.left(rejectInput("options", "expected manifest, or at least one file in files"))
}

/** A deadline, named by its time in UTC. */
export const deadlineOf = (deadline: Date | undefined): Deadline | undefined =>
  deadline === undefined ? undefined : { at: deadline.getTime(), words: deadline.toISOString() }
