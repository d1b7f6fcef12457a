/** Media types of results, for S3 and for the review's players. */
import { extname } from "node:path"

const mediaTypes: Readonly<Record<string, string>> = {
  ".wav": "audio/wav",
  ".flac": "audio/flac",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".opus": "audio/ogg",
  ".mp4": "video/mp4",
  ".m4v": "video/mp4",
  ".ogv": "video/ogg",
  ".mov": "video/quicktime",
  ".webm": "video/webm",
  ".mkv": "video/x-matroska",
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".srt": "application/x-subrip; charset=utf-8",
  ".vtt": "text/vtt; charset=utf-8"
}

export const mediaTypeOf = (file: string): string => mediaTypes[extname(file)] ?? "application/octet-stream"
