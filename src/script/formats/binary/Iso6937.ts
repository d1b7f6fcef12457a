/** Decodes the text of EBU STL files: ISO 6937 with floating accents, and the ISO 8859 parts for other alphabets. */
import iconv from "iconv-lite"

/** The upper half of ISO 6937, from 0xa0; `\0` is not assigned, accents are combining characters. */
const upper =
  "\u00a0¡¢£$¥#§¤‘“«←↑→↓" +
  "°±²³×µ¶·÷’”»¼½¾¿" +
  "\0\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0308\u030a\u0327\0\u030b\u0328\u030c" +
  "―¹®©™♪¬¦\0\0\0\0⅛⅜⅝⅞" +
  "ΩÆĐªĦ\0ĲĿŁØŒºÞŦŊŉ" +
  "ĸæđðħıĳŀłøœßþŧŋ\u00ad"

const pages: Readonly<Record<string, string>> = {
  "01": "iso-8859-5",
  "02": "iso-8859-6",
  "03": "iso-8859-7",
  "04": "iso-8859-8"
}

/** Returns the decoder of an encoding, or of a table as the file's header names it; `00` is ISO 6937. */
export const decoderOf = (table: string): ((bytes: Uint8Array) => string) => {
  const page =
    pages[table] ?? (iconv.encodingExists(table) && !/^\s*\d*\s*$/u.test(table) ? table : undefined)
  return page === undefined ? iso6937 : (bytes) => iconv.decode(Buffer.from(bytes), page).normalize("NFC")
}

/** Decodes ISO 6937. An accent precedes its letter there. */
const iso6937 = (bytes: Uint8Array): string => {
  let text = ""
  let accent = ""
  for (const byte of bytes) {
    const char = byte < 0xa0 ? String.fromCharCode(byte) : (upper[byte - 0xa0] ?? "\0")
    if (char === "\0") continue
    if (/\p{M}/u.test(char)) {
      accent = char
      continue
    }
    text += /\p{L}/u.test(char) ? char + accent : char
    accent = ""
  }
  return text.normalize("NFC")
}
