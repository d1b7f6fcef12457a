/** Unsupported formats that are recognized, so that the error can name the format and a tool that converts it. */

const bySubtitleEdit = "convert the file to SRT, for example with Subtitle Edit"
const pictures = "convert the images to SRT with OCR, for example with Subtitle Edit"
const byPandoc = "convert the file to Markdown: pandoc FILE -o FILE.md"
const vobSub = ["VobSub subtitles are images and are", pictures] as const

/** Extensions, what files with them are, and how to convert them; `FILE` is the file's name. */
const byEnding: ReadonlyArray<readonly [endings: string, what: string, how: string]> = [
  ["sub idx", ...vobSub],
  ["sup", "PGS subtitles (Blu-ray) are images and are", pictures],
  ["pac", "PAC subtitles are", bySubtitleEdit],
  ["cap", "CAP captions are", bySubtitleEdit],
  ["usf", "USF subtitles are", bySubtitleEdit],
  ["mcc", "MCC captions are", bySubtitleEdit],
  ["odt", "OpenDocument texts are", byPandoc],
  ["rtf", "RTF documents are", byPandoc],
  ["epub", "EPUB books are", byPandoc],
  ["html htm", "web pages are", byPandoc],
  ["xsd", "XML schemas are", "pass a TTML file instead"],
  ["doc pages", "documents of this kind are", "save the file as plain text (.txt) with a word processor"],
  ["pdf", "PDF documents are", "convert the file to text: pdftotext FILE FILE.txt"],
  [
    "mkv mks mp4 m4v mov webm avi",
    "videos are",
    "pass its subtitle file instead; to extract a text subtitle: ffmpeg -i FILE FILE.srt"
  ]
]

const describe = (what: string, how: string, file: string): string =>
  `${what} not supported; ${how.replace(/FILE(\.\w+)?/gu, (_, ending?: string) =>
    shellWord(ending === undefined ? file : file.replace(/\.[^./\\]+$/u, "") + ending)
  )}`

/** Returns a file's extension in lower case, without its dot; empty if it has none. */
export const endingOf = (file: string): string => /\.([^./\\]+)$/u.exec(file)?.[1]?.toLowerCase() ?? ""

/** Returns why a file is not supported and how to convert it; undefined if its extension is not listed. */
export const unreadByName = (file: string): string | undefined => {
  const [, what, how] = byEnding.find(([endings]) => endings.split(" ").includes(endingOf(file))) ?? []
  return what === undefined || how === undefined ? undefined : describe(what, how, file)
}

/** Like {@link unreadByName}, but by the first words of its text. */
export const unreadByText = (text: string, file: string): string | undefined =>
  /^\s*# VobSub index file/u.test(text) ? describe(...vobSub, file) : undefined

/** Quotes a file name for a shell, if needed. */
const shellWord = (name: string): string =>
  /^[\p{L}\p{N}_./+@%=:,-]+$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`
