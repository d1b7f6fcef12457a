/** Unsupported formats that are recognized, so that the error can name the format and a tool that converts it. */

/** The format of a file, and how to convert it. */
interface UnreadFormat {
  readonly what: string
  readonly how: (file: string) => string
}

const bySubtitleEdit = "convert the file to SRT, for example with Subtitle Edit"
const pictures = "convert the images to SRT with OCR, for example with Subtitle Edit"

const format = (what: string, how: UnreadFormat["how"]): UnreadFormat => ({ what, how })

const forPandoc = (what: string): UnreadFormat =>
  format(
    what,
    (file) =>
      `convert the file to Markdown: pandoc ${shellWord(file)} -o ${shellWord(withEnding(file, "md"))}`
  )

const vobSub = format("VobSub subtitles are images and are", () => pictures)
const office = format(
  "documents of this kind are",
  () => "save the file as plain text (.txt) with a word processor"
)
const film = format(
  "videos are",
  (file) =>
    `pass its subtitle file instead; to extract a text subtitle: ffmpeg -i ${shellWord(file)} ${shellWord(withEnding(file, "srt"))}`
)

const byEnding: Readonly<Record<string, UnreadFormat>> = {
  sub: vobSub,
  idx: vobSub,
  sup: format("PGS subtitles (Blu-ray) are images and are", () => pictures),
  pac: format("PAC subtitles are", () => bySubtitleEdit),
  cap: format("CAP captions are", () => bySubtitleEdit),
  usf: format("USF subtitles are", () => bySubtitleEdit),
  mcc: format("MCC captions are", () => bySubtitleEdit),
  odt: forPandoc("OpenDocument texts are"),
  rtf: forPandoc("RTF documents are"),
  epub: forPandoc("EPUB books are"),
  html: forPandoc("web pages are"),
  htm: forPandoc("web pages are"),
  xsd: format("XML schemas are", () => "pass a TTML file instead"),
  doc: office,
  pages: office,
  pdf: format(
    "PDF documents are",
    (file) => `convert the file to text: pdftotext ${shellWord(file)} ${shellWord(withEnding(file, "txt"))}`
  ),
  mkv: film,
  mks: film,
  mp4: film,
  m4v: film,
  mov: film,
  webm: film,
  avi: film
}

const describe = ({ what, how }: UnreadFormat, file: string): string => `${what} not supported; ${how(file)}`

/** Returns a file's extension in lower case, without its dot; empty if it has none. */
export const endingOf = (file: string): string => /\.([^./\\]+)$/u.exec(file)?.[1]?.toLowerCase() ?? ""

/** Returns why a file is not supported and how to convert it; undefined if its extension is not listed. */
export const unreadByName = (file: string): string | undefined => {
  const ending = endingOf(file)
  const found = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
  return found === undefined ? undefined : describe(found, file)
}

/** Like {@link unreadByName}, but by the first words of its text. */
export const unreadByText = (text: string, file: string): string | undefined => {
  const start = text.trimStart()
  const found = byText.find(([begins]) => begins.test(start))?.[1]
  return found === undefined ? undefined : describe(found, file)
}

const byText: ReadonlyArray<readonly [begins: RegExp, format: UnreadFormat]> = [
  [/^# VobSub index file/u, vobSub]
]

const withEnding = (file: string, ending: string): string => file.replace(/\.[^./\\]+$/u, "") + `.${ending}`

/** Quotes a file name for a shell, if needed. */
const shellWord = (name: string): string =>
  /^[\p{L}\p{N}_./+@%=:,-]+$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
