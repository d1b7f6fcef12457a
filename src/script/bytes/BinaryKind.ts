/** Tells what a file is by its first bytes. */

const others: ReadonlyArray<readonly [what: string, at: number, magic: string]> = [
  ["a PNG picture", 0, "\x89PNG"],
  ["a JPEG picture", 0, "\xff\xd8\xff"],
  ["a GIF picture", 0, "GIF8"],
  ["a PDF document", 0, "%PDF-"],
  ["a ZIP archive or an office document", 0, "PK\x03\x04"],
  ["a gzip archive", 0, "\x1f\x8b"],
  ["a RAR archive", 0, "Rar!\x1a"],
  ["a 7z archive", 0, "7z\xbc\xaf"],
  ["an SQLite database", 0, "SQLite format 3\x00"],
  ["a program", 0, "\x7fELF"],
  ["an office document", 0, "\xd0\xcf\x11\xe0"],
  ["an RTF document", 0, "{\\rtf"],
  ["zero bytes only, as of a download that was broken off", 0, "\0".repeat(64)]
]

const media: typeof others = [
  ["an MP4 or QuickTime video", 4, "ftyp"],
  ["a Matroska or WebM video", 0, "\x1aE\xdf\xa3"],
  ["a WAV or AVI file", 0, "RIFF"],
  ["an Ogg file", 0, "OggS"],
  ["a FLAC file", 0, "fLaC"],
  ["an MP3 file", 0, "ID3"]
]

const kindIn = (bytes: Uint8Array, kinds: typeof others): string | undefined =>
  kinds.find(([, at, magic]) =>
    Array.from(magic).every((char, i) => bytes[at + i] === char.charCodeAt(0))
  )?.[0]

/**
 * Returns the kind of a binary file, with its article ("a PNG picture"); undefined if its first bytes are not known.
 */
export const binaryKind = (bytes: Uint8Array): string | undefined =>
  kindIn(bytes, others) ?? kindIn(bytes, media)

/** Like {@link binaryKind}, but only for files that are neither video nor audio. */
export const otherKind = (bytes: Uint8Array): string | undefined => kindIn(bytes, others)
