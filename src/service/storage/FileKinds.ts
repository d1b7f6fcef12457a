/** The kinds of files that a task may have. */

/** Kinds of files, by extension. */
export const fileKinds = ["mp3", "wav", "srt", "json"] as const
export type FileKind = (typeof fileKinds)[number]

/** Each kind's media type. */
export const mediaTypes: Readonly<Record<FileKind, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  srt: "application/x-subrip; charset=utf-8",
  json: "application/json; charset=utf-8"
}
