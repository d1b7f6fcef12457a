/** One run of ffmpeg as plain data: what the builders decide and the runner carries out. */
import type { Readable } from "node:stream"

/** A file by its absolute path, or the bytes that the runner feeds to standard input. */
export interface JobInput {
  readonly options: ReadonlyArray<string>
  readonly source: string | "stdin"
}

/** A file by its absolute path, or `-` for standard output, read as text. */
export interface JobOutput {
  readonly options: ReadonlyArray<string>
  readonly target: string
}

/** Options are separate words, never one string to be split. */
export interface FfmpegJob {
  /** What it does, in words that complete "could not". */
  readonly purpose: string
  readonly inputs: ReadonlyArray<JobInput>
  /** The chains of one filter graph; empty for none. */
  readonly filters: ReadonlyArray<string>
  readonly outputs: ReadonlyArray<JobOutput>
  /** How many streams it encodes: what takes its time. */
  readonly encodes: number
}

/** The bytes for a job's `stdin` input. */
export type Feed = Readable
