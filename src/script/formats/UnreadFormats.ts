/** Formats that are recognized and not read: what each is, and which tool converts it. */

/** What a file is, and the command or program that makes a readable file of it. */
interface UnreadFormat {
  readonly what: string
  readonly how: (file: string) => string
}

const bySubtitleEdit = "convert the file to SRT, for example with Subtitle Edit"
const pictures = "turn the pictures into SRT by text recognition (OCR), for example with Subtitle Edit"

const format = (what: string, how: UnreadFormat["how"]): UnreadFormat => ({ what, how })

/** ffmpeg reads these, and writes what dubwright reads. */
const forFfmpeg = (what: string, options = ""): UnreadFormat =>
  format(
    what,
    (file) =>
      `convert the file to SRT: ffmpeg ${options}-i ${shellWord(file)} ${shellWord(withEnding(file, "srt"))}`
  )

const forPandoc = (what: string): UnreadFormat =>
  format(
    what,
    (file) =>
      `convert the file to Markdown: pandoc ${shellWord(file)} -o ${shellWord(withEnding(file, "md"))}`
  )

const sami = forFfmpeg("SAMI captions are")
const lrc = forFfmpeg("LRC lyrics are")
const microDvd = format(
  "MicroDVD subtitles count frames and are",
  (file) =>
    "convert the file to SRT with the film's frame rate, for example with Subtitle Edit or, at 25 frames a second, " +
    `ffmpeg -subfps 25 -f microdvd -i ${shellWord(file)} ${shellWord(withEnding(file, "srt"))}`
)
const mpl2 = forFfmpeg("MPL2 subtitles are", "-f mpl2 ")
const ttml = format(
  "TTML and other XML captions are",
  (file) =>
    `${bySubtitleEdit} or ttconv (tt convert -i ${shellWord(file)} -o ${shellWord(withEnding(file, "srt"))})`
)
const vobSub = format("VobSub subtitles are pictures and are", () => pictures)
const office = format(
  "documents of this kind are",
  () => "save the file as .txt or .docx with a word processor"
)
const film = format(
  "films are",
  (file) =>
    `name its subtitle; to take a text subtitle out of it, ffmpeg -i ${shellWord(file)} ${shellWord(withEnding(file, "srt"))}`
)

const byEnding: Readonly<Record<string, UnreadFormat>> = {
  sub: vobSub,
  idx: vobSub,
  sup: format("PGS subtitles (Blu-ray) are pictures and are", () => pictures),
  ttml,
  dfxp: ttml,
  itt: ttml,
  xml: ttml,
  stl: format("STL subtitles are", () => bySubtitleEdit),
  pac: format("PAC subtitles are", () => bySubtitleEdit),
  cap: format("CAP captions are", () => bySubtitleEdit),
  usf: format("USF subtitles are", () => bySubtitleEdit),
  scc: forFfmpeg("SCC captions are"),
  mcc: format("MCC captions are", () => bySubtitleEdit),
  smi: sami,
  sami,
  lrc,
  mpl: mpl2,
  docx: forPandoc("Word documents are"),
  odt: forPandoc("OpenDocument texts are"),
  rtf: forPandoc("RTF documents are"),
  epub: forPandoc("EPUB books are"),
  html: forPandoc("web pages are"),
  htm: forPandoc("web pages are"),
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

const told = ({ what, how }: UnreadFormat, file: string): string => `${what} not read: ${how(file)}`

/** A file's ending in lower case, without its dot; empty where there is none. */
export const endingOf = (file: string): string => /\.([^./\\]+)$/u.exec(file)?.[1]?.toLowerCase() ?? ""

/** Why a file is not read, by its name alone, and what to do; undefined for names that tell nothing of the kind. */
export const unreadByName = (file: string): string | undefined => {
  const ending = endingOf(file)
  const found = Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
  return found === undefined ? undefined : told(found, file)
}

/** The same, by a text's first words. */
export const unreadByText = (text: string, file: string): string | undefined => {
  const start = text.trimStart()
  const found = byText.find(([begins]) => begins.test(start))?.[1]
  return found === undefined ? undefined : told(found, file)
}

const byText: ReadonlyArray<readonly [begins: RegExp, format: UnreadFormat]> = [
  [/^<SAMI[\s>]/iu, sami],
  [/^<\?xml|^<(?:\w+:)?tt[\s>]/iu, ttml],
  [/^\{\d+\}\{\d*\}/u, microDvd],
  [/^\[\d+\]\[\d*\]/u, mpl2],
  [/^(?:\[(?:ti|ar|al|by|offset|length|re|ve):[^\]\n]*\]\s*)*\[\d{1,3}:\d{2}\.\d+\]/iu, lrc],
  [/^# VobSub index file/u, vobSub],
  [/^Scenarist_SCC V/u, forFfmpeg("SCC captions are")]
]

const withEnding = (file: string, ending: string): string => file.replace(/\.[^./\\]+$/u, "") + `.${ending}`

/** A name as a shell takes it. */
const shellWord = (name: string): string =>
  /^[\p{L}\p{N}_./+@%=:,-]+$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
