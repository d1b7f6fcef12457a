/**
 * Which legacy code page a file was written in: chardet's statistics, checked against how the decoded words look.
 */
import chardet from "chardet"
import iconv from "iconv-lite"

/**
 * The likeliest code page of bytes that are not UTF-8, as a name iconv-lite knows; undefined where nothing is
 * likely. Only lines with non-ASCII bytes are weighed, so that time lines do not drown the words. `fits` says of a text
 * as a page would have it whether it may be.
 */
export const guessCodePage = (
  bytes: Uint8Array,
  fits: (text: string) => boolean = () => true
): string | undefined => {
  const sample = telling(bytes)
  const scores = new Map<string, number>()
  const weigh = (name: string, score: number): void => {
    if (score > (scores.get(name) ?? 0)) scores.set(name, score)
  }
  for (const match of chardet.analyse(sample)) {
    const name = windowsName(match.name, sample)
    if (name !== undefined) weigh(name, match.confidence)
  }
  for (const [name, plausibility] of checks) weigh(name, 100 * plausibility(iconv.decode(sample, name)))
  let best: string | undefined
  let bestScore = 4
  for (const [name, score] of scores)
    if (score > bestScore) {
      const text = iconv.decode(sample, name)
      if (!readsCleanly(text) || !fits(text)) continue
      best = name
      bestScore = score
    }
  return best
}

const mostWeighed = 65_536

const telling = (bytes: Uint8Array): Buffer => {
  const lines: Array<Uint8Array> = []
  let size = 0
  let start = 0
  let high = false
  for (let i = 0; i <= bytes.length && size < mostWeighed; i++) {
    const byte = bytes[i]
    if (byte === 10 || byte === 13 || byte === undefined) {
      if (high) {
        lines.push(bytes.subarray(start, i), lineEnd)
        size += i - start + 1
      }
      start = i + 1
      high = false
    } else if (byte > 127) high = true
  }
  return Buffer.concat(lines)
}

const lineEnd = Uint8Array.of(10)

/** chardet's names, each as the Windows code page that holds it and more: what subtitles were really saved as. */
const windowsNames: Readonly<Record<string, string>> = {
  "ISO-8859-1": "windows-1252",
  "windows-1252": "windows-1252",
  "windows-1250": "windows-1250",
  "ISO-8859-5": "iso-8859-5",
  "ISO-8859-6": "windows-1256",
  "ISO-8859-7": "windows-1253",
  "ISO-8859-8": "windows-1255",
  "ISO-8859-9": "windows-1254",
  "windows-1251": "windows-1251",
  "windows-1253": "windows-1253",
  "windows-1254": "windows-1254",
  "windows-1255": "windows-1255",
  "windows-1256": "windows-1256",
  "windows-1257": "windows-1257",
  "KOI8-R": "koi8-r",
  GB18030: "gb18030",
  Big5: "big5hkscs",
  "EUC-KR": "cp949",
  "EUC-JP": "euc-jp",
  Shift_JIS: "shift_jis"
}

const windowsName = (name: string, sample: Buffer): string | undefined =>
  name === "ISO-8859-2"
    ? sample.some((byte) => byte >= 0x80 && byte <= 0x9f)
      ? "windows-1250"
      : "iso-8859-2"
    : windowsNames[name]

/** No character that the code page lacks, and none of the C1 controls that a wrong guess turns up. */
const readsCleanly = (text: string): boolean => !/[\ufffd\u0080-\u009f]/u.test(text)

/**
 * Code pages that chardet does not know well enough, each with a measure from 0 to 1 of how much the text looks
 * like its language.
 */
const checks: ReadonlyArray<readonly [string, (text: string) => number]> = [
  ["windows-1258", (text) => looksVietnamese(text.normalize("NFC"))],
  ["windows-874", (text) => looksThai(text)]
]

/**
 * Vietnamese: of all letters one in ten carries a mark that no other language writes, and no tone mark stands off a
 * vowel.
 */
const looksVietnamese = (text: string): number => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const own = text.match(/[\u1ea0-\u1ef9]/gu)?.length ?? 0
  const stray = text.match(/[\p{M}₫]/gu)?.length ?? 0
  return own > letters * 0.05 && stray <= own * 0.02 ? 0.97 : 0
}

/** Thai: nearly all non-ASCII letters are Thai, and its marks and leading vowels stand by consonants. */
const looksThai = (text: string): number => {
  const foreign = text.match(/[^\p{ASCII}\s“”‘’…–—]/gu)?.length ?? 0
  const thai = text.match(/[\u0e01-\u0e5b]/gu)?.length ?? 0
  const misplaced =
    (text.match(/(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/gu)
      ?.length ?? 0) + (text.match(/[\u0e40-\u0e44](?![\u0e01-\u0e2e])/gu)?.length ?? 0)
  return thai > 0 && thai / foreign > 0.98 && misplaced / thai < 0.02 ? 0.97 : 0
}
