/** One run of ffmpeg as plain data, made by the job builders and executed by JobRunner. */
import type { Readable } from "node:stream"

/** Options that ffmpeg supports since some version. A build between releases, whose version is unknown, gets none. */
export interface NewerOptions {
  readonly from: { readonly major: number; readonly minor: number }
  readonly options: ReadonlyArray<string>
}

/** An input: a file's absolute path, or `stdin` for bytes that the runner feeds. */
export interface JobInput {
  readonly options: ReadonlyArray<string>
  readonly newer?: ReadonlyArray<NewerOptions>
  readonly source: string | "stdin"
}

/** An output: a file's absolute path, or `-` for standard output, which is read as text. */
export interface JobOutput {
  readonly options: ReadonlyArray<string>
  readonly newer?: ReadonlyArray<NewerOptions>
  readonly target: string
}

/** A job. Each option is an argument of its own; none is split. */
export interface FfmpegJob {
  /** Its action, in words that complete "could not": `encode out/a.wav`. */
  readonly purpose: string
  readonly inputs: ReadonlyArray<JobInput>
  /** The chains of one filter graph; empty for none. */
  readonly filters: ReadonlyArray<string>
  readonly outputs: ReadonlyArray<JobOutput>
  /** How many streams it encodes; 0 for a job without encoding. */
  readonly encodes: number
}

/** The bytes for a job's `stdin` input. */
export type Feed = Readable
