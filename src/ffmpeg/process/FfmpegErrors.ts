/** What can go wrong when ffmpeg is found, started and run. */
import { Schema } from "effect"

/** Where a binary was looked for. */
export const BinarySource = Schema.Literal("DUBWRIGHT_FFMPEG", "PATH", "package")
export type BinarySource = typeof BinarySource.Type

/** A place that was tried for an ffmpeg, and why it will not do. */
export class BinaryTrial extends Schema.Class<BinaryTrial>("BinaryTrial")({
  source: BinarySource,
  /** The file that was started, or the package that was looked up. */
  candidate: Schema.String,
  problem: Schema.NonEmptyString
}) {}

/** No ffmpeg that works: every place that was tried. */
export class NoFfmpeg extends Schema.TaggedError<NoFfmpeg>()("NoFfmpeg", {
  tried: Schema.Array(BinaryTrial)
}) {
  /** What to do about it. */
  get advice(): string {
    return this.tried.some((trial) => trial.source === "DUBWRIGHT_FFMPEG")
      ? "point DUBWRIGHT_FFMPEG at an ffmpeg that runs on this system, or unset it to have one found"
      : "install ffmpeg, or the npm package @ffmpeg-installer/ffmpeg, or point DUBWRIGHT_FFMPEG at one"
  }
  /** Where it was looked for, and what was wrong there. */
  get places(): ReadonlyArray<string> {
    return this.tried.map((trial) => `${trial.source}: ${trial.candidate}: ${trial.problem}`)
  }
  override get message(): string {
    return [
      `no ffmpeg that works was found: ${this.advice}. Tried:`,
      ...this.places.map((place) => `  ${place}`)
    ].join("\n")
  }
}

/** ffmpeg ended otherwise than well, or could not be started. */
export class FfmpegFailed extends Schema.TaggedError<FfmpegFailed>()("FfmpegFailed", {
  /** What it was to do, in words: `encode out/a.wav`. */
  purpose: Schema.String,
  /** The command line, quoted so that it can be pasted into a shell. */
  command: Schema.String,
  /** Absent where it never started or was killed. */
  exitCode: Schema.optional(Schema.Int),
  /** The last lines that it wrote. */
  stderrTail: Schema.String
}) {
  /** The line of ffmpeg's output that says why. */
  get reason(): string {
    return decisive(this.stderrTail)
  }

  override get message(): string {
    const how =
      this.exitCode === undefined
        ? "ffmpeg did not run to its end"
        : `ffmpeg ended with exit code ${this.exitCode}`
    const advice = adviceOn(this.stderrTail)
    return `could not ${this.purpose}: ${how}: ${this.reason}${advice === "" ? "" : `; ${advice}`}`
  }
}

/** Why bytes are not audio that can be used. */
const NotAudioReason = Schema.Literal("missing", "empty", "text", "no-audio", "broken", "truncated")
export type NotAudioReason = typeof NotAudioReason.Type

/** A file that was to hold audio, and does not, or not all of it. */
export class NotAudio extends Schema.TaggedError<NotAudio>()("NotAudio", {
  /** The file's path, or a name for bytes that have none. */
  source: Schema.String,
  reason: NotAudioReason,
  /** What was found instead, in words. */
  found: Schema.NonEmptyString
}) {
  override get message(): string {
    return `${this.source}: expected audio, found ${this.found}`
  }
}

/** The disk is full. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", { path: Schema.String }) {
  override get message(): string {
    return `${this.path}: no space left on the disk; nothing was left half-written: free some and run again`
  }
}

/** A result that could not be written for another reason than space. */
export class Unwritable extends Schema.TaggedError<Unwritable>()("Unwritable", {
  path: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `${this.path}: cannot be written: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A media file that cannot be read as one. */
export class NotMedia extends Schema.TaggedError<NotMedia>()("NotMedia", {
  path: Schema.String,
  found: Schema.NonEmptyString
}) {
  override get message(): string {
    return `${this.path}: expected a video or audio file, found ${this.found}`
  }
}

/** A stream that the container of the result cannot hold without being re-encoded. */
export class ContainerRefuses extends Schema.TaggedError<ContainerRefuses>()("ContainerRefuses", {
  path: Schema.String,
  container: Schema.String,
  codec: Schema.String,
  /** Containers that would take it. */
  instead: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const other = this.instead.length === 0 ? "" : `; ask for ${this.instead.join(" or ")} instead`
    return `${this.path}: ${this.container} cannot hold ${this.codec} picture as it is, and the picture is never re-encoded${other}`
  }
}

/** A result whose name asks for no container that is known. */
export class UnknownContainer extends Schema.TaggedError<UnknownContainer>()("UnknownContainer", {
  path: Schema.String
}) {
  override get message(): string {
    return `${this.path}: expected a name that ends in .mp4, .m4v, .mov, .mkv or .webm`
  }
}

/** Whether ffmpeg's words say that the disk is full. */
export const saysDiskFull = (stderr: string): boolean =>
  /no space left on device|ENOSPC|disk quota exceeded/iu.test(stderr)

/** The line of ffmpeg's output that says why it failed: the first that names an error, else the last. */
const decisive = (stderr: string): string => {
  const lines = stderr
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const telling = lines.find((line) =>
    /error|invalid|unknown|unable|cannot|could not|no such|not found|denied/iu.test(line)
  )
  return telling ?? lines.at(-1) ?? "it said nothing"
}

const adviceOn = (stderr: string): string =>
  /unknown encoder|no such filter|unrecognized option|option not found|encoder not found/iu.test(stderr)
    ? "this ffmpeg lacks what is needed: point DUBWRIGHT_FFMPEG at a complete build of version 5 or later"
    : /permission denied/iu.test(stderr)
      ? "check who may write there"
      : ""
