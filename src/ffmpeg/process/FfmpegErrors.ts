/** Errors of locating and running ffmpeg, and of reading and writing media files. */
import { Schema } from "effect"

/** A place that was searched for a binary. */
export const BinarySource = Schema.Literal("DUBWRIGHT_FFMPEG", "PATH", "package")
export type BinarySource = typeof BinarySource.Type

/** A candidate binary, and why it cannot be used. */
export class BinaryTrial extends Schema.Class<BinaryTrial>("BinaryTrial")({
  source: BinarySource,
  /** The file or the package that was tried. */
  candidate: Schema.String,
  problem: Schema.NonEmptyString
}) {}

/** No working ffmpeg was found; carries every candidate that was tried. */
export class NoFfmpeg extends Schema.TaggedError<NoFfmpeg>()("NoFfmpeg", {
  tried: Schema.Array(BinaryTrial)
}) {
  /** How the user can fix it. */
  get advice(): string {
    return this.tried.some((trial) => trial.source === "DUBWRIGHT_FFMPEG")
      ? "set DUBWRIGHT_FFMPEG to an ffmpeg that runs on this system, or unset it to search PATH"
      : "install ffmpeg, install dubwright again without --omit=optional, or set DUBWRIGHT_FFMPEG to the path of an ffmpeg"
  }
  /** One line per candidate: where it is, and its problem. */
  get places(): ReadonlyArray<string> {
    return this.tried.map((trial) => `${trial.source}: ${trial.candidate}: ${trial.problem}`)
  }
  override get message(): string {
    return [
      `no working ffmpeg found; ${this.advice}. Tried:`,
      ...this.places.map((place) => `  ${place}`)
    ].join("\n")
  }
}

/** ffmpeg failed, was killed, or could not be started. */
export class FfmpegFailed extends Schema.TaggedError<FfmpegFailed>()("FfmpegFailed", {
  /** Its task, to complete "could not": `encode out/a.wav`. */
  purpose: Schema.String,
  /** The command line, quoted so that it can be pasted into a shell. */
  command: Schema.String,
  /** Absent if it never started or was killed. */
  exitCode: Schema.optional(Schema.Int),
  /** The end of its stderr. */
  stderrTail: Schema.String
}) {
  /** The line of stderr that states the cause. */
  get reason(): string {
    return decisive(this.stderrTail)
  }

  override get message(): string {
    const how =
      this.exitCode === undefined ? "ffmpeg did not finish" : `ffmpeg exited with code ${this.exitCode}`
    const advice = adviceOn(this.stderrTail)
    return `could not ${this.purpose}: ${how}: ${this.reason}${advice === "" ? "" : `; ${advice}`}`
  }
}

/** Why bytes are not usable audio. */
const NotAudioReason = Schema.Literal(
  ...(["missing", "empty", "text", "no-audio", "broken", "truncated", "too-long"] as const)
)

/** A file that should hold audio and does not, or is incomplete. */
export class NotAudio extends Schema.TaggedError<NotAudio>()("NotAudio", {
  /** The file's path, or a name for bytes that have none. */
  source: Schema.String,
  reason: NotAudioReason,
  /** The content that was found instead. */
  found: Schema.NonEmptyString
}) {
  override get message(): string {
    return `${this.source}: expected audio, found ${this.found}`
  }
}

/** The disk is full. */
export class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", { path: Schema.String }) {
  override get message(): string {
    return `${this.path}: no space left on the disk; free some space and run again (no partial file was left)`
  }
}

/** A result that could not be written for a reason other than disk space. */
export class Unwritable extends Schema.TaggedError<Unwritable>()("Unwritable", {
  path: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `${this.path}: cannot be written: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** A file that is not readable as media. */
export class NotMedia extends Schema.TaggedError<NotMedia>()("NotMedia", {
  path: Schema.String,
  found: Schema.NonEmptyString
}) {
  override get message(): string {
    return `${this.path}: expected a video or audio file, found ${this.found}`
  }
}

/** A picture that the result's container cannot hold without re-encoding. */
export class ContainerRefuses extends Schema.TaggedError<ContainerRefuses>()("ContainerRefuses", {
  path: Schema.String,
  container: Schema.String,
  codec: Schema.String,
  /** Containers that can hold it. */
  instead: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const other = this.instead.length === 0 ? "" : `; use ${this.instead.join(" or ")} instead`
    return `${this.path}: ${this.container} cannot hold ${this.codec} video, and dubwright never re-encodes the picture${other}`
  }
}

/** A result whose extension is not a supported video container. */
export class UnknownContainer extends Schema.TaggedError<UnknownContainer>()("UnknownContainer", {
  path: Schema.String
}) {
  override get message(): string {
    return `${this.path}: expected a name that ends in .mp4, .m4v, .mov, .mkv or .webm`
  }
}

/** Whether ffmpeg's stderr reports a full disk. */
export const saysDiskFull = (stderr: string): boolean =>
  /no space left on device|ENOSPC|disk quota exceeded/iu.test(stderr)

/** Picks the line of stderr that states the cause: the first that looks like an error, else the last. */
const decisive = (stderr: string): string => {
  const lines = stderr
    .split(/[\r\n]+/u)
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const telling = lines.find((line) =>
    /error|invalid|unknown|unable|cannot|could not|no such|not found|denied/iu.test(line)
  )
  const line = telling ?? lines.at(-1) ?? "it printed no message"
  // ffmpeg names the part that failed, and its address in memory.
  const bare = line.replace(/^(\[[^\]]* @ 0x[\da-f]+\] )+/iu, "")
  return /moov atom not found/u.test(bare) ? `the file is incomplete: its index is missing (${bare})` : bare
}

const adviceOn = (stderr: string): string =>
  /unknown encoder|no such filter|unrecognized option|option not found|encoder not found/iu.test(stderr)
    ? "this ffmpeg lacks a required feature: set DUBWRIGHT_FFMPEG to a full build of version 4.4 or later"
    : /permission denied/iu.test(stderr)
      ? "check the write permissions"
      : ""
