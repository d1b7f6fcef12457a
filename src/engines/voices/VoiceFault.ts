/** Why a neural voice was not added or removed. */
import { Schema } from "effect"

export class VoiceNotAdded extends Schema.TaggedError<VoiceNotAdded>()("VoiceNotAdded", {
  /** The voice's id, folder or file. */
  voice: Schema.String,
  /** `network` may be temporary; `files` is a fault of the voice's files, `disk` of this machine's disk. */
  reason: Schema.Literal("unknown", "network", "files", "disk"),
  /** What happened, the value, and what to do. */
  detail: Schema.String
}) {
  override get message(): string {
    return `voice ${this.voice}: ${this.detail}`
  }
}

/** Describes an error of the file system. `doing` completes "cannot …". */
export const diskFault = (voice: string, doing: string, cause: unknown): VoiceNotAdded => {
  if (cause instanceof VoiceNotAdded) return cause
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const detail =
    code === "ENOSPC" || code === "EDQUOT"
      ? `the disk is full; free some space, then run the same command again`
      : `cannot ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`
  return new VoiceNotAdded({ voice, reason: "disk", detail })
}

/** Writes bytes as megabytes. */
export const megabytes = (bytes: number): string =>
  `${(bytes / 1_000_000).toFixed(bytes < 9_500_000 ? 1 : 0)} MB`
